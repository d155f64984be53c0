"""Parse the pieces of a streamed response: split them into events, and check their size and content."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from .blank import END, MAX_BLANK_BYTES, is_blank, is_blank_event
from .limits import ResponseLimits
from .server import Server

if TYPE_CHECKING:
    from .framing import Framing

SHORTER = "OpenKoi stopped reading. Ask for a shorter answer, or use another model."
T_co = TypeVar("T_co", covariant=True)


class ResponseReader(Protocol[T_co]):
    """A parser of one response."""

    @property
    def over(self) -> bool:
        """Whether the response is complete, so that nothing more is read."""

    def event(self, data: str) -> Sequence[T_co] | None:
        """Parse an event of a stream; return None for one without content that keeps the connection alive."""

    def document(self, data: bytes) -> Sequence[T_co]:
        """Parse a response that was sent whole, although a stream was requested."""


class EventParser(Generic[T_co]):
    """The parser of one stream. ``start`` is how it begins, ``taken`` counts its bytes and ``read`` their content."""

    def __init__(
        self, server: Server, bounds: ResponseLimits, framing: "Framing", reading: ResponseReader[T_co]
    ) -> None:
        self._server = server
        self._bounds = bounds
        self._framing = framing
        self._reading = reading
        self._start = b""
        self._taken = self._read = 0
        self._silent = True

    def feed(self, piece: bytes) -> Iterator[Sequence[T_co]]:
        """Yield the parsed events that have content, until the response ends."""
        if len(self._start) <= MAX_BLANK_BYTES:
            self._start = (self._start + piece)[: MAX_BLANK_BYTES + 1]
        self._taken += len(piece)
        check_size(self._server, self._bounds, self._taken // 2)
        yield from self._parse(self._split(piece))

    def finish(self) -> Iterator[Sequence[T_co]]:
        """Yield what the end of the stream contributes; raise ProviderError if the stream was empty."""
        if self._taken == len(self._start) and is_blank(self._start):
            raise self._server.blank(self._start)
        yield from self._parse(self._framing.finish())

    def _parse(self, events: Sequence[str]) -> Iterator[Sequence[T_co]]:
        for event in events:
            if self._reading.over:
                return
            self._read += len(event)
            check_size(self._server, self._bounds, self._read)
            if self._silent and event == END:
                raise self._server.blank(event.encode())
            blank = event != END and is_blank_event(event)
            self._silent = self._silent and blank
            items = None if blank else self._reading.event(event)
            if items is not None:
                yield items

    def _split(self, piece: bytes) -> Sequence[str]:
        try:
            events = self._framing.feed(piece)
        except ValueError as error:
            if is_blank(piece):
                raise self._server.blank(piece) from None
            raise self._server.unavailable(f"sent an invalid stream: {error}") from None
        if max(self._framing.waiting, max(map(len, events), default=0)) > self._bounds.event_bytes:
            raise self._server.unavailable(f"sent an event of more than {self._bounds.event_bytes:,} bytes. {SHORTER}")
        return events


def check_size(server: Server, bounds: ResponseLimits, size: int) -> int:
    """Return the size of a response; raise ProviderUnavailableError if it is too large."""
    if size > bounds.response_bytes:
        raise server.unavailable(f"sent more than {bounds.response_bytes:,} bytes; the response was cut off. {SHORTER}")
    return size
