"""A run that only looks: plugins are asked what they would add, and nothing is called, executed or written down."""

from collections.abc import Callable, Iterable, Sequence
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
    PendingQuestion,
    PluginEntry,
    ProviderInfo,
    Query,
    Question,
    Record,
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

    def save_key(self, provider: str, key: str) -> Path:
        """Save nothing."""
        raise KoiError(ONLY_LOOKS.format("saving a key"))

    def set_setting(self, key: str, value: str) -> Path:
        """Set nothing."""
        raise KoiError(ONLY_LOOKS.format("configuring"))

    def answer_question(self, id: str, answer: str) -> PendingQuestion:
        """Answer nothing."""
        raise KoiError(ONLY_LOOKS.format("answering"))

    def plugins(self, kind: str) -> Sequence[PluginEntry]:
        """List what there is of a kind."""
        return self.koi.plugins(kind)

    def records(self, session: str) -> Iterable[Record]:
        """Read a session's log; this run has none."""
        return self.koi.records(session) if session else ()

    async def search(self, query: Query) -> Sequence[Hit]:
        """Ask the chosen memory."""
        return await self.koi.search(query)

    def providers(self) -> Sequence[ProviderInfo]:
        """The providers that are installed and known."""
        return self.koi.providers()

    def saved_keys(self) -> Sequence[str]:
        """The providers whose keys are saved."""
        return self.koi.saved_keys()

    def pending_questions(self) -> Sequence[PendingQuestion]:
        """What waits for a person."""
        return self.koi.pending_questions()

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
