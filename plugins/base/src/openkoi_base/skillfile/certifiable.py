"""Define the protocol of evaluators that can be certified."""

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Protocol, runtime_checkable

from openkoi_hookspecs import Evaluation, ExecutionResult, Koi, Request, Run, Task
from openkoi_hookspecs.lazy_dataclass import dataclass

from .evaluator import Rubric


@dataclass(frozen=True, slots=True)
class RubricSample:
    """Work to judge by a rubric, without a run; ``model`` replaces the evaluator's configured model."""

    rubric: Rubric
    task: Task
    work: ExecutionResult
    _: KW_ONLY
    model: str = ""


@runtime_checkable
class Certifiable(Protocol):
    """Protocol of an evaluator that judges by rubrics and can be certified."""

    async def rubrics(self, koi: Koi) -> Sequence[Rubric]:
        """Return the rubrics it can judge by."""

    def stamp(self, rubric: Rubric) -> str:
        """Return a text that changes with the rubric or the prompt made from it."""

    def sample_request(self, sample: RubricSample) -> Request:
        """Return the request for one vote on a sample, without sending it."""

    async def evaluate_sample(self, sample: RubricSample, run: Run) -> Evaluation:
        """Judge a sample with one vote, charged to the run; ignore caches and certificates.

        Raises ProviderError if the model does not answer.
        """
