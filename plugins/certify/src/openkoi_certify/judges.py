"""Evaluators that can be certified, found by what they offer. Knows no evaluator by name."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from openkoi_hookspecs import Evaluation, ExecutionResult, Koi, KoiError, PluginNotFoundError, Run
from openkoi_skillfile import Rubric


@runtime_checkable
class Certifiable(Protocol):
    """An evaluator that judges by rubrics."""

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation | None:
        """Judge a work."""

    async def rubrics(self, koi: Koi) -> Sequence[Rubric]:
        """The rubrics it could judge by."""

    def stamp(self, rubric: Rubric) -> str:
        """Another one whenever the rubric is read otherwise."""

    def held_to(self, rubric: str) -> "Certifiable":
        """Itself with one vote, by that rubric alone, having judged nothing yet; whatever its certificates are."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A rubric, and who judges by it."""

    judge: Certifiable
    rubric: Rubric

    @property
    def stamp(self) -> str:
        """Another one whenever the rubric is read otherwise."""
        return self.judge.stamp(self.rubric)


async def rubrics_of(koi: Koi) -> list[Judged]:
    """All rubrics by which an installed evaluator asks a model, by name."""
    found = [Judged(judge, rubric) async for judge in judges_of(koi) for rubric in await judge.rubrics(koi)]
    return sorted((one for one in found if not one.rubric.method.fixed), key=lambda one: one.rubric.name)


async def judges_of(koi: Koi) -> AsyncIterator[Certifiable]:
    """The installed evaluators that can be certified; one that cannot be built is passed over."""
    for entry in koi.plugins("evaluators"):
        try:
            judge = await entry.load()
        except KoiError:
            continue
        if isinstance(judge, Certifiable):
            yield judge


async def named(koi: Koi, name: str) -> Judged:
    """The rubric of that name; raises PluginNotFoundError."""
    every = await rubrics_of(koi)
    for one in every:
        if one.rubric.name.casefold() == name.strip().casefold():
            return one
    raise PluginNotFoundError("evaluator", name, tuple(one.rubric.name for one in every))
