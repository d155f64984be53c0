"""A run that only looks: plugins are asked what they would add, and nothing is called, executed or written down."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
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
    LimitExceededError,
    Limits,
    Query,
    Question,
    Request,
    Response,
    Result,
    Task,
)

T = TypeVar("T")
P = ParamSpec("P")
ONLY_LOOKS = "openkoi context only looks: {} is not done."


@dataclass(slots=True)
class Looking:
    """Implements ``Run`` over a ``Koi``. What plugins emit is heard and forgotten; a call of a model is a limit."""

    koi: Koi
    task: Task
    workspace: Path
    id: str = field(default_factory=lambda: token_hex(10))
    iterations: Sequence[Iteration] = ()
    cost: Cost = Cost()

    @property
    def outermost(self) -> str:
        """A run of its own."""
        return self.id

    @property
    def limits(self) -> Limits:
        """The task's."""
        return self.task.effective_limits

    async def chat(self, request: Request) -> Response:
        """Call no model: as if no call were left."""
        raise LimitExceededError("calls")

    async def execute(self, command: Command) -> CommandResult:
        """Run nothing."""
        raise KoiError(ONLY_LOOKS.format(command.argv[0] if command.argv else "a command"))

    async def emit(self, event: Event) -> None:
        """Write nothing down."""

    async def ask(self, question: Question) -> str | None:
        """Ask nobody."""
        return None

    async def solve(self, task: Task) -> Result:
        """Do no task."""
        raise KoiError(ONLY_LOOKS.format("a task"))

    async def search(self, query: Query) -> Sequence[Hit]:
        """Ask the chosen memory."""
        return await self.koi.search(query)

    async def collect(
        self, moment: Callable[P, HookReturn[T]], /, *args: P.args, **facts: P.kwargs
    ) -> list[tuple[str, T]]:
        """Ask every plugin at a moment."""
        return await self.koi.collect(moment, *args, **facts)

    async def fold(
        self, moment: Callable[Concatenate[T, P], HookReturn[T]], value: T, /, *args: P.args, **facts: P.kwargs
    ) -> T:
        """Pass a value through every plugin at a moment."""
        return await self.koi.fold(moment, value, *args, **facts)
