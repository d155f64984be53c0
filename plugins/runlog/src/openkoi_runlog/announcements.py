"""Log that a secret was masked, where, and what to do if it is not a secret."""

from collections.abc import Sequence
from dataclasses import field

from openkoi_base.redact import Redactor
from openkoi_hookspecs import Event, events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_settings import keys


@dataclass(slots=True)
class Announcements:
    """Warns about masked secrets, once for each run and kind."""

    redactor: Redactor
    made: dict[str, set[str]] = field(default_factory=dict)

    def find_new(self, run: str, happened: Sequence[Event]) -> list[Event]:
        """Return the warnings about secrets masked in these events that this run has not had yet."""
        if not (seen := self.redactor.seen):
            return []
        self.redactor.seen = set()
        fresh = sorted(seen - self.made.setdefault(run, set()))
        self.made[run] |= seen
        where = ", ".join(dict.fromkeys(map(describe_place, happened)))
        return [events.WarningIssued(format_announcement(kind, self.redactor.reason(kind), where)) for kind in fresh]


def format_announcement(kind: str, reason: str, where: str) -> str:
    """Return what was masked, where and why, and what to do if that is a mistake."""
    return (
        f"A secret in {where} is replaced with [redacted] wherever it is stored: {reason}. "
        f'If it is not a secret, add "{kind}" to {keys.ALLOWED_SECRETS.name} in the config file.'
    )


def describe_place(event: Event) -> str:
    """Return where a text is, in the user's words."""
    match event:
        case events.TaskStarted():
            return "the task"
        case events.ToolCallStarted(call=call):
            return f"a call to {call.tool}"
        case events.ToolCallFinished():
            return "the result of a tool"
        case events.ModelDelta() | events.ModelResponse():
            return "the answer of the model"
        case events.MessageAdded():
            return "the prompt"
    return f"the event {event.name}"
