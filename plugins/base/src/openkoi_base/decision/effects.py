"""Record what tool calls changed, for judges and for a run's facts."""

import json
from dataclasses import field

from openkoi_hookspecs import Effect, EffectCall, Tool, ToolCall, ToolResult
from openkoi_hookspecs.evaluation import UNSEEN
from openkoi_hookspecs.lazy_dataclass import dataclass

MAX_CALL_LENGTH = 400  # characters of one call that judges read
MAX_CALLS = 50  # calls that judges read; those with effects outside the workspace are never left out


@dataclass(slots=True)
class EffectLog:
    """The calls of one run and its sub-tasks that could change something, oldest first."""

    calls: list[EffectCall] = field(default_factory=list)

    def note(self, call: ToolCall, tool: Tool, result: ToolResult) -> None:
        """Add a call, and how it ended."""
        if tool.effect is not Effect.READS:
            arguments = json.dumps(call.arguments, ensure_ascii=False, default=str)
            self.calls.append(
                EffectCall(f"{call.tool} {arguments}"[:MAX_CALL_LENGTH], describe_outcome(result), result.effects)
            )

    def note_unseen(self) -> None:
        """Record that files may have changed without a checkpoint; then no diff shows all of the run's work."""
        if UNSEEN not in self.calls:
            self.calls.append(UNSEEN)

    @property
    def recent(self) -> tuple[EffectCall, ...]:
        """The last calls, and before them those that changed something outside the workspace."""
        earlier = (call for call in self.calls[:-MAX_CALLS] if call.effects)
        return (*earlier, *self.calls[-MAX_CALLS:])


def describe_outcome(result: ToolResult) -> str:
    """Return how a call ended."""
    if result.exit_code is not None:
        return f"exit code {result.exit_code}"
    return "failed" if result.failed else "done"


def effects_of(tool: Tool, result: ToolResult, *, approved: bool) -> tuple[str, ...]:
    """Return the changes of a call that no diff of the workspace shows.

    Any successful call of a tool that is not local counts; of commands, those that the user had to allow.
    """
    if result.effects or result.failed or tool.effect is Effect.READS:
        return result.effects
    allowed = approved and result.exit_code == 0
    return (f"{tool.name} completed",) if allowed or not tool.local or tool.effect is Effect.IRREVERSIBLE else ()
