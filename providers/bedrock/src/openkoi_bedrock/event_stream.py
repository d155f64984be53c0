"""Decode a binary event stream into JSON events.

botocore is imported when the first bytes arrive.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from struct import error as Unpackable
from typing import Protocol

EVENT_TYPE = ":event-type"
EXCEPTION_TYPE = ":exception-type"
ERROR_CODE = ":error-code"
ERROR_MESSAGE = ":error-message"


class Prelude(Protocol):
    """The lengths at the start of a frame, as botocore reads them."""

    total_length: int


class Frame(Protocol):
    """A frame, as botocore reads it."""

    prelude: Prelude
    headers: Mapping[str, object]
    payload: bytes


class FrameBuffer(Protocol):
    """botocore's frame decoder."""

    def add_data(self, data: bytes) -> None:
        """Add bytes."""

    def __iter__(self) -> Iterator[Frame]:
        """Yield the complete frames."""


class EventStreamDecoder:
    """Split a response into events; ``waiting`` counts the bytes of an incomplete frame."""

    def __init__(self) -> None:
        self.waiting = 0
        self._buffer: FrameBuffer | None = None

    def feed(self, data: bytes) -> Sequence[str]:
        """Add bytes and return the complete events; raise ValueError for a damaged frame."""
        from botocore.eventstream import ParserError  # type: ignore[import-untyped]  # botocore carries no types

        self._buffer = self._buffer or make_buffer()
        self._buffer.add_data(data)
        self.waiting += len(data)
        try:
            return [self._to_json(frame) for frame in self._buffer]
        except (ParserError, Unpackable, KeyError) as error:
            raise ValueError(f"one of its frames is damaged ({type(error).__name__})") from None

    def finish(self) -> Sequence[str]:
        """Return nothing: a frame without its end was cut off."""
        return ()

    def _to_json(self, frame: Frame) -> str:
        self.waiting -= frame.prelude.total_length
        names = {
            name: frame.headers[name]
            for name in (EVENT_TYPE, EXCEPTION_TYPE, ERROR_CODE, ERROR_MESSAGE)
            if name in frame.headers
        }
        return f'{{"headers":{json.dumps(names, default=str)},"payload":{frame.payload.decode() or "{}"}}}'


def make_buffer() -> FrameBuffer:
    """Create botocore's frame decoder."""
    from botocore.eventstream import EventStreamBuffer

    buffer: FrameBuffer = EventStreamBuffer()
    return buffer
