"""A judge whose scores can be tested with planted defects: what it offers, and what it is given."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Protocol, runtime_checkable

from openkoi_hookspecs import Evaluation, ExecutionResult, Koi, Request, Run, Task

from .evaluator import Rubric


@dataclass(frozen=True, slots=True)
class RubricSample:
    """A work that is judged by a rubric although no run has done it. ``model`` is asked in place of the evaluator's."""

    rubric: Rubric
    task: Task
    work: ExecutionResult
    _: KW_ONLY
    model: str = ""


@runtime_checkable
class Certifiable(Protocol):
    """What an evaluator may be besides: one that judges by rubrics, and can be certified."""

    async def rubrics(self, koi: Koi) -> Sequence[Rubric]:
        """List the rubrics it could judge by."""

    def stamp(self, rubric: Rubric) -> str:
        """Return another text whenever the rubric, or what is said to a model with it, is another."""

    def sample_request(self, sample: RubricSample) -> Request:
        """Return the request that one vote on a sample takes, without making it."""

    async def evaluate_sample(self, sample: RubricSample, run: Run) -> Evaluation:
        """Judge a sample with one vote, paid by the run, whatever was judged before and certificates say.

        Raises what kept the model from answering.
        """
