"""Implement the run of ``koi.dry_run``: ask hooks and tool providers what they would add, without other effects.

The option ``--dry-run`` runs a task in a copy of the folder instead: ``openkoi_cli.workspace_copy``.
"""

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
from openkoi_models import ResolvedModel

from .run import TaskRun

NOT_DONE = "Not run: {}. A dry run has no effects."


class DryRun(TaskRun):
    """A run that never starts."""

    __slots__ = ()

    async def chat(self, request: Request) -> Response:
        """Call no model: raise LimitExceededError, as if no call were left."""
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

    async def ask(self, question: Question, *, stays: bool = False) -> str | None:
        """Ask nothing."""
        return None

    async def emit(self, event: Event, *more: Event) -> None:
        """Log nothing."""

    async def executor(self) -> ResolvedModel:
        """Ask no provider about a model."""
        raise KoiError(NOT_DONE.format("a request to a provider"))

    async def warn(self) -> None:
        """Leave the warnings to the next real run."""
