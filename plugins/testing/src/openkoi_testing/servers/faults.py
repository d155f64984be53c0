"""What can go wrong on the way from a server to us. Knows bytes and seconds; knows no vendor's format."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

KEEP_ALIVE = b": still there\n\n"


class After(StrEnum):
    """What a server does when it has sent what it is going to send."""

    ENDS = "ends"
    CLOSES = "closes"
    HANGS = "hangs"
    DRIPS = "drips"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """How an answer is spoilt. Without any argument it is not.

    ``body`` takes the place of the answer, in these pieces. ``cut`` leaves out all after so many bytes of the body and
    closes the connection, or does what ``after`` says: hang in silence, or drip comments for ever. ``slice`` sends so
    many bytes at a time, through the middle of characters. ``delay`` is silence before the headers, ``pause`` between
    two pieces. An answer that is not ``framed`` ends where the connection ends, so that nobody sees a cut.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | Sequence[bytes] | None = None
    cut: int | None = None
    after: After = After.ENDS
    slice: int | None = None
    delay: float = 0.0
    pause: float = 0.0
    keep_alives: int = 0
    framed: bool = True

    @property
    def ending(self) -> After:
        """What follows the last byte."""
        return After.CLOSES if self.cut is not None and self.after is After.ENDS else self.after

    def spoil(self, pieces: Iterable[bytes], keep_alive: bytes = KEEP_ALIVE) -> Iterator[bytes]:
        """Turn the pieces of an answer into those that are sent."""
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


NO_FAULT = Fault()
