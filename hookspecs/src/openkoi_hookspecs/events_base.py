"""The base class of events, and the record of one in the log. The events are in ``events``."""

from collections.abc import Mapping
from dataclasses import KW_ONLY
from typing import Any, ClassVar

from .lazy_dataclass import dataclass


class Event:
    """The base class of all events.

    A ``durable`` event is on disk before the run continues; any other may be lost. A durable event that is ``batched``
    is on disk when this turn of the event loop ends, or before the next durable one that is not: it reports what
    happened, and announces nothing that the run does next.
    """

    __slots__ = ()
    name: ClassVar[str] = ""
    durable: ClassVar[bool] = True
    batched: ClassVar[bool] = False

    @property
    def line(self) -> str:
        """The line that users read when it happens. A plugin's event may have one."""
        return ""


@dataclass(frozen=True, slots=True)
class Record:
    """An event in the log: one line, one id, written once.

    ``at`` is the time in UTC (ISO 8601), with microseconds. ``segment`` is the name of the log file and ``end`` the
    offset after the line, in bytes; both are empty in a record that is passed to a listener.
    """

    id: str
    at: str
    run: str
    event: Event
    _: KW_ONLY
    segment: str = ""
    end: int = 0


@dataclass(frozen=True, slots=True)
class UnknownEvent(Event):
    """An event of a plugin that is not installed, or of a newer version."""

    data: Mapping[str, Any]
