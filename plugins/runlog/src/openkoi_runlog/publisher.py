"""Write events to the log, then pass them to whoever listens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from openkoi_hookspecs import Event, Record

from .announcements import Announcements
from .runlog import RunLog

Listener = Callable[[Record], None]


@dataclass(frozen=True, slots=True)
class Publisher:
    """The log of a process and its listeners. ``warn`` is called when a listener fails."""

    log: RunLog
    announcements: Announcements
    warn: Callable[[str], None]
    listeners: list[Listener] = field(default_factory=list)

    def publish(self, run: str, happened: Sequence[Event]) -> list[Record]:
        """Log events, and a warning for each secret that was masked in them; return the records."""
        records = self.log.append(run, happened)
        if masked := self.announcements.of(run, happened):
            records += self.log.append(run, masked)
        for record in records:
            for listener in self.listeners:
                listener(record)
        return records

    def listen(self, callback: Listener) -> Callable[[], None]:
        """Call back with every record once it is logged; return a function that ends this."""

        def call_safely(record: Record) -> None:
            try:
                callback(record)
            except Exception as error:  # a listener must not end a run
                self.warn(f"A listener failed: {type(error).__name__}: {error}.")

        self.listeners.append(call_safely)
        return lambda: self.listeners.remove(call_safely)
