"""A run that only looks: hooks and toolboxes are asked with it, and nothing else happens."""

from openkoi_hookspecs import (
    Command,
    CommandResult,
    Event,
    KoiError,
    LimitExceededError,
    Question,
    Request,
    Response,
    Result,
    Task,
    ToolCall,
    ToolResult,
)

from .run import TaskRun

NOT_DONE = "This run only looks: {} is not done."


class DryRun(TaskRun):
    """A run that has not begun and never does."""

    __slots__ = ()

    async def chat(self, request: Request) -> Response:
        """Call no model, as if no call were left."""
        raise LimitExceededError("calls")

    async def execute(self, command: Command) -> CommandResult:
        """Refuse a command."""
        raise KoiError(NOT_DONE.format(" ".join(command.argv)))

    async def call(self, call: ToolCall) -> ToolResult:
        """Refuse to call a tool."""
        raise KoiError(NOT_DONE.format(call.tool))

    async def solve(self, task: Task) -> Result:
        """Refuse a sub-task."""
        raise KoiError(NOT_DONE.format("a sub-task"))

    async def ask(self, question: Question) -> str | None:
        """Ask nothing."""
        return None

    async def emit(self, event: Event, *more: Event) -> None:
        """Log nothing."""

    async def warn(self) -> None:
        """Leave the warnings to a run that is done."""
