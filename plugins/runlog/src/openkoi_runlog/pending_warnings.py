"""Keep warnings until a run can log them, each once."""

from dataclasses import field

from openkoi_hookspecs import Event, events
from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(slots=True)
class PendingWarnings:
    """The warnings for the current run or the next one."""

    texts: list[str] = field(default_factory=list)
    known: set[str] = field(default_factory=set)

    def add(self, text: str) -> None:
        """Add a warning, unless it was given before."""
        if text not in self.known:
            self.known.add(text)
            self.texts.append(text)

    def take(self) -> list[Event]:
        """Remove and return the warnings."""
        taken: list[Event] = [events.WarningIssued(text) for text in dict.fromkeys(self.texts)]
        self.texts.clear()
        return taken
