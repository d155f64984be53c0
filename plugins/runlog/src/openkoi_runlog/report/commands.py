"""List the commands of a run, each with its exit status, and whether files were written after it."""

from collections.abc import Sequence
from dataclasses import field, replace

from openkoi_hookspecs import ToolCall, ToolResult
from openkoi_hookspecs.lazy_dataclass import dataclass

WRITING_ARGUMENTS = frozenset({"content", "replace", "patch"})  # of the tools that write files


@dataclass(frozen=True, slots=True)
class CommandRun:
    """A command that a tool ran. ``stale``: a tool wrote a file after it, so its result may be out of date."""

    command: str
    exit_code: int
    stale: bool = False


@dataclass(slots=True)
class CommandLog:
    """The commands that have ended, in order, and the calls that have not."""

    commands: Sequence[CommandRun] = ()
    pending: dict[str, ToolCall] = field(default_factory=dict)

    def start(self, call: ToolCall) -> None:
        """Record a call that has started."""
        if "command" in call.arguments or call.arguments.keys() & WRITING_ARGUMENTS:
            self.pending[call.id] = call

    def finish(self, result: ToolResult) -> None:
        """Record the result of a call."""
        call = self.pending.pop(result.call, None)
        if call is None or (result.failed and result.exit_code is None):
            return
        command = call.arguments.get("command")
        if isinstance(command, str) and result.exit_code is not None:
            self.commands = (*self.commands, CommandRun(command, result.exit_code))
        elif call.arguments.keys() & WRITING_ARGUMENTS:
            self.commands = tuple(replace(one, stale=True) for one in self.commands)
