"""The judge as a plugin. The code that judges is imported at the first judgment."""

from typing import TYPE_CHECKING, ClassVar

from openkoi_hookspecs import Evaluation, ExecutionResult, Koi, Request, Run

from .judge_options import JudgeOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from openkoi_base.skillfile.certifiable import RubricSample
    from openkoi_base.skillfile.evaluator import Rubric

    from .rubric_judge import RubricJudge


class Judge(JudgeOptions):
    """An evaluator configured by ``[evaluators.judge]``."""

    __slots__ = ()
    judges: ClassVar[bool] = True

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation | None:
        """Judge the work by the rubric for its task; return None when nothing was answered or changed."""
        return await self._at_work.evaluate(work, run) if work.changed or work.answered else None

    async def health(self) -> dict[str, str]:
        """List the available rubrics; raise for an invalid one."""
        return await self._at_work.health()

    async def rubrics(self, koi: Koi) -> "Sequence[Rubric]":
        """Return the rubrics that the judge could use."""
        return await self._at_work.rubrics(koi)

    def stamp(self, rubric: "Rubric") -> str:
        """Return a digest of the rubric and the instructions."""
        return self._at_work.stamp(rubric)

    def sample_request(self, sample: "RubricSample") -> Request:
        """Return the request for one vote on a sample."""
        return self._at_work.sample_request(sample)

    async def evaluate_sample(self, sample: "RubricSample", run: Run) -> Evaluation:
        """Judge a sample with one vote, without cache and certificates."""
        return await self._at_work.evaluate_sample(sample, run)

    @property
    def _at_work(self) -> "RubricJudge":
        from .rubric_judge import RubricJudge

        return RubricJudge(self)
