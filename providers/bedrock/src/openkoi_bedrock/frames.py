"""The events of a binary event stream, each as JSON text with what its headers call it.

Knows frames and their checksums; knows no operation. botocore is imported when the first bytes come.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from struct import error as Unpackable
from typing import Protocol

KIND = ":event-type"
EXCEPTION = ":exception-type"
ERROR = ":error-code"
MESSAGE = ":error-message"


class Prelude(Protocol):
    """What botocore knows of a frame before it has read it."""

    total_length: int


class Frame(Protocol):
    """A frame as botocore reads it."""

    prelude: Prelude
    headers: Mapping[str, object]
    payload: bytes


class Buffer(Protocol):
    """Botocore's reader of frames."""

    def add_data(self, data: bytes) -> None:
        """Take bytes."""

    def __iter__(self) -> Iterator[Frame]:
        """Return the frames that are complete."""


class Frames:
    """Cuts one answer into its events. ``waiting`` counts the bytes of a frame that is not complete."""

    def __init__(self) -> None:
        self.waiting = 0
        self._buffer: Buffer | None = None

    def feed(self, data: bytes) -> Iterable[str]:
        """Take the next bytes and return the events that are complete; raises ValueError for a damaged one."""
        from botocore.eventstream import ParserError  # type: ignore[import-untyped]  # botocore carries no types

        self._buffer = self._buffer or opened()
        self._buffer.add_data(data)
        self.waiting += len(data)
        try:
            return [self._told(frame) for frame in self._buffer]
        except (ParserError, Unpackable, KeyError) as error:
            raise ValueError(f"a frame of it is damaged ({type(error).__name__})") from None

    def _told(self, frame: Frame) -> str:
        self.waiting -= frame.prelude.total_length
        names = {name: frame.headers[name] for name in (KIND, EXCEPTION, ERROR, MESSAGE) if name in frame.headers}
        return f'{{"headers":{json.dumps(names, default=str)},"payload":{frame.payload.decode() or "{}"}}}'


def opened() -> Buffer:
    """Make botocore's reader."""
    from botocore.eventstream import EventStreamBuffer

    buffer: Buffer = EventStreamBuffer()
    return buffer
