"""A run lent on: the certifying run's models and budget, with another task, and nothing of its past. Knows no judge."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from openkoi_hookspecs import (
    Command,
    CommandResult,
    Cost,
    Event,
    Hit,
    HookReturn,
    Iteration,
    Koi,
    KoiError,
    Limits,
    Query,
    Question,
    Request,
    Response,
    Result,
    Run,
    Task,
)

T = TypeVar("T")
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Trial:
    """The run as a judge sees it that is tried with one sample. ``model`` is asked for every role, if one is given.

    ``faults`` are what kept a model from answering: a judge makes an opinion of them that says nothing.
    """

    run: Run
    id: str
    task: Task
    workspace: Path
    model: str = ""
    faults: list[KoiError] = field(default_factory=list)

    @property
    def koi(self) -> Koi:
        return self.run.koi

    @property
    def outermost(self) -> str:
        return self.run.outermost

    @property
    def limits(self) -> Limits:
        return self.run.limits

    @property
    def cost(self) -> Cost:
        return self.run.cost

    @property
    def iterations(self) -> Sequence[Iteration]:
        return ()

    async def chat(self, request: Request) -> Response:
        try:
            return await self.run.chat(replace(request, model=self.model) if self.model else request)
        except KoiError as error:
            self.faults.append(error)
            raise

    async def execute(self, command: Command) -> CommandResult:
        return await self.run.execute(command)

    async def emit(self, event: Event) -> None:
        await self.run.emit(event)

    async def search(self, query: Query) -> Sequence[Hit]:
        return await self.run.search(query)

    async def ask(self, question: Question) -> str | None:
        return await self.run.ask(question)

    async def solve(self, task: Task) -> Result:
        return await self.run.solve(task)

    async def collect(
        self, moment: Callable[P, HookReturn[T]], /, *args: P.args, **facts: P.kwargs
    ) -> list[tuple[str, T]]:
        return await self.run.collect(moment, *args, **facts)

    async def fold(
        self, moment: Callable[Concatenate[T, P], HookReturn[T]], value: T, /, *args: P.args, **facts: P.kwargs
    ) -> T:
        return await self.run.fold(moment, value, *args, **facts)
