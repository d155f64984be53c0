"""Define what can go wrong between a server and its client."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import StrEnum

from openkoi_hookspecs.lazy_dataclass import dataclass

KEEP_ALIVE = b": still there\n\n"


class AfterResponse(StrEnum):
    """What a server does after its last byte."""

    ENDS = "ends"
    CLOSES = "closes"
    HANGS = "hangs"
    DRIPS = "drips"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFault:
    """Describe how an answer is damaged; by default it is not.

    ``body`` replaces the answer, in these pieces. ``cut`` drops all after so many bytes of the body and closes the
    connection, or does what ``after`` says: hang in silence, or drip comments forever. ``slice`` sends so many bytes at
    a time, through the middle of characters. ``delay`` is silence before the headers, ``pause`` between two pieces. An
    answer that is not ``framed`` ends where the connection ends, so that a cut is invisible.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | Sequence[bytes] | None = None
    cut: int | None = None
    after: AfterResponse = AfterResponse.ENDS
    slice: int | None = None
    delay: float = 0.0
    pause: float = 0.0
    keep_alives: int = 0
    framed: bool = True

    @property
    def ending(self) -> AfterResponse:
        """What follows the last byte."""
        return AfterResponse.CLOSES if self.cut is not None and self.after is AfterResponse.ENDS else self.after

    def apply(self, pieces: Iterable[bytes], keep_alive: bytes = KEEP_ALIVE) -> Iterator[bytes]:
        """Yield the pieces to send for the pieces of an answer."""
        if self.body is not None:
            pieces = [self.body] if isinstance(self.body, bytes) else self.body
        comments = keep_alive * self.keep_alives
        pieces = (comments + piece for piece in pieces)
        if self.cut is None and self.slice is None:
            yield from pieces
            return
        whole = b"".join(pieces)[: self.cut]
        step = self.slice or len(whole) or 1
        yield from (whole[start : start + step] for start in range(0, len(whole), step))


NO_FAULT = ServerFault()
