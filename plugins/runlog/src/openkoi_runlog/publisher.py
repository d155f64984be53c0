"""Write events to the log, then pass them to the listeners."""

from asyncio import CancelledError
from collections.abc import Callable, Sequence
from dataclasses import field
from functools import partial
from inspect import iscoroutinefunction
from time import perf_counter

from openkoi_hookspecs import ArgumentError, Event, Record
from openkoi_hookspecs.events import UnknownEvent
from openkoi_hookspecs.lazy_dataclass import dataclass

from .announcements import Announcements
from .runlog import RunLog, is_urgent

Listener = Callable[[Record], None]
LISTENER_LIMIT = 2.0  # seconds, as for a hook that does not wait
LATE = "All runs waited for the listener; do slow work in a queue."


@dataclass(frozen=True, slots=True)
class Publisher:
    """The log of a process and its listeners. ``warn`` is called when a listener fails."""

    log: RunLog
    announcements: Announcements
    warn: Callable[[str], None]
    listeners: list[Listener] = field(default_factory=list)

    def publish(self, run: str, happened: Sequence[Event]) -> list[Record]:
        """Log events, and a warning for each secret that was masked in them; return the records."""
        records = self.append(run, happened)
        self.call_listeners(records)
        return records

    async def publish_together(self, run: str, happened: Sequence[Event]) -> None:
        """Log events of a run: group commit, one sync for all runs that log in the same turn of the loop."""
        alone = self.log.runs < 2
        records = self.append(run, happened, sync=alone)
        try:
            if not alone and any(is_urgent(record.event) for record in records):
                await self.log.commit(run)
        except CancelledError:  # it is in the log
            self.call_listeners(records)
            raise
        self.call_listeners(records)

    def append(self, run: str, happened: Sequence[Event], *, sync: bool = True) -> list[Record]:
        """Write events to the log, and a warning for each secret that was masked in them."""
        for event in happened:
            if not isinstance(event, Event):
                raise ArgumentError(f"Only an Event can be logged, not {event!r:.80}.")
            if not event.name and not isinstance(event, UnknownEvent):
                raise ArgumentError(f"{type(event).__name__} needs a name that starts with its plugin's name.")
        records = self.log.append(run, happened, sync=sync)
        if masked := self.announcements.find_new(run, happened):
            records += self.log.append(run, masked, sync=sync)
        return records

    def call_listeners(self, records: Sequence[Record]) -> None:
        """Pass records to all listeners."""
        for record in records:
            for listener in tuple(self.listeners):  # one may leave when it is called
                listener(record)

    def listen(self, callback: Listener) -> Callable[[], None]:
        """Call back with every record once it is logged; return a function that stops this."""
        if iscoroutinefunction(callback) or iscoroutinefunction(getattr(callback, "__call__", None)):  # noqa: B004
            raise ArgumentError("koi.listen needs a function that does not wait: `def`, not `async def`.")
        name = getattr(callback, "__qualname__", type(callback).__name__)

        def call_safely(record: Record) -> None:
            started = perf_counter()
            try:
                callback(record)
            except Exception as error:  # a listener must not end a run
                self.warn(f"The listener {name} failed: {type(error).__name__}: {error}.")
            if perf_counter() - started > LISTENER_LIMIT:
                self.warn(f"The listener {name} took more than {LISTENER_LIMIT:g} s. {LATE}")

        self.listeners.append(call_safely)
        return partial(self.leave, call_safely)

    def leave(self, listener: Listener) -> None:
        """Stop calling a listener."""
        if listener in self.listeners:
            self.listeners.remove(listener)
