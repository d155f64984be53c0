"""Evaluators that can be certified, found by what they offer. Knows no evaluator by name."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from openkoi_hookspecs import Koi, KoiError, PluginNotFoundError
from openkoi_skillfile import Certifiable, Rubric, RubricSample

from .sample import Sample


@dataclass(frozen=True, slots=True)
class RubricAndJudge:
    """A rubric, and who judges by it."""

    judge: Certifiable
    rubric: Rubric

    @property
    def stamp(self) -> str:
        """Another one whenever the rubric is read otherwise."""
        return self.judge.stamp(self.rubric)

    def sample(self, sample: Sample, model: str) -> RubricSample:
        """Return a sample as the judge is given it."""
        return RubricSample(self.rubric, sample.task, sample.work, model=model)


async def rubrics_of(koi: Koi) -> list[RubricAndJudge]:
    """All rubrics by which an installed evaluator asks a model, by name."""
    found = [RubricAndJudge(judge, rubric) async for judge in judges_of(koi) for rubric in await judge.rubrics(koi)]
    return sorted((one for one in found if not one.rubric.method.asks_no_model), key=lambda one: one.rubric.name)


async def judges_of(koi: Koi) -> AsyncIterator[Certifiable]:
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
    every = await rubrics_of(koi)
    for one in every:
        if one.rubric.name.casefold() == name.strip().casefold():
            return one
    raise PluginNotFoundError("evaluator", name, tuple(one.rubric.name for one in every))
