"""Find the judges that can be certified: evaluators and their rubrics."""

from collections.abc import AsyncIterator

from openkoi_base.skillfile.certifiable import Certifiable, RubricSample
from openkoi_base.skillfile.evaluator import Rubric
from openkoi_hookspecs import Koi, KoiError, PluginNotFoundError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .sample import Sample


@dataclass(frozen=True, slots=True)
class RubricAndJudge:
    """A rubric, and the evaluator that judges by it."""

    judge: Certifiable
    rubric: Rubric

    @property
    def stamp(self) -> str:
        """A hash that changes with the rubric's text."""
        return self.judge.stamp(self.rubric)

    def sample(self, sample: Sample, model: str) -> RubricSample:
        """Return a sample in the form the judge takes."""
        return RubricSample(self.rubric, sample.task, sample.work, model=model)


async def list_rubrics(koi: Koi) -> list[RubricAndJudge]:
    """Return the rubrics for which an installed evaluator calls a model, by name."""
    found = [RubricAndJudge(judge, rubric) async for judge in list_judges(koi) for rubric in await judge.rubrics(koi)]
    return sorted((one for one in found if not one.rubric.method.asks_no_model), key=lambda one: one.rubric.name)


async def list_judges(koi: Koi) -> AsyncIterator[Certifiable]:
    """Return the installed evaluators that can be certified; skip those that cannot be built."""
    for entry in koi.plugins("evaluators"):
        try:
            judge = await entry.load()
        except KoiError:
            continue
        if isinstance(judge, Certifiable):
            yield judge


async def find_rubric(koi: Koi, name: str) -> RubricAndJudge:
    """Return the rubric of that name; raise PluginNotFoundError."""
    every = await list_rubrics(koi)
    for one in every:
        if one.rubric.name.casefold() == name.strip().casefold():
            return one
    raise PluginNotFoundError("evaluator", name, tuple(one.rubric.name for one in every))
