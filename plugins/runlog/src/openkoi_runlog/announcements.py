"""Say in the log that a secret was masked, where, and what to do if it is none."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from openkoi_base.redact import Redactor
from openkoi_hookspecs import Event, events
from openkoi_settings import keys


@dataclass(slots=True)
class Announcements:
    """Warns of what is masked, once for each run and kind."""

    redactor: Redactor
    made: dict[str, set[str]] = field(default_factory=dict)

    def of(self, run: str, happened: Sequence[Event]) -> list[Event]:
        """The warnings about what was masked in these events, and not warned of before in this run."""
        seen, self.redactor.seen = self.redactor.seen, set()
        if not seen:
            return []
        fresh = sorted(seen - self.made.setdefault(run, set()))
        self.made[run] |= seen
        where = ", ".join(dict.fromkeys(map(place_of, happened)))
        return [events.WarningIssued(announcement(kind, self.redactor.reason(kind), where)) for kind in fresh]


def announcement(kind: str, reason: str, where: str) -> str:
    """What was masked, where and why, and what to do if that is a mistake."""
    return (
        f"A secret in {where} is replaced by [redacted] in all that is written: {reason}. "
        f'If it is not a secret, add "{kind}" to {keys.ALLOWED_SECRETS.name} in the configuration.'
    )


def place_of(event: Event) -> str:
    """Where a text stands, as the reader knows it."""
    match event:
        case events.TaskStarted():
            return "the task"
        case events.ToolCallStarted(call=call):
            return f"a call of {call.tool}"
        case events.ToolCallFinished():
            return "the result of a tool"
        case events.ModelDelta() | events.ModelResponse():
            return "the answer of the model"
        case events.MessageAdded():
            return "the prompt"
    return f"the event {event.name}"
