"""Split a stream that is not server-sent events into events."""

from collections.abc import Sequence
from typing import Protocol

BOM = b"\xef\xbb\xbf"


class Framing(Protocol):
    """Split one response into events; use one object per response."""

    @property
    def waiting(self) -> int:
        """The bytes of an event that is not complete."""

    def feed(self, data: bytes) -> Sequence[str]:
        """Add bytes and return the complete events; raise ValueError for invalid ones."""

    def finish(self) -> Sequence[str]:
        """Return what the end of the response completes."""


class JsonLines:
    """Split a stream of one JSON document per line; an unterminated last line counts as truncated."""

    def __init__(self) -> None:
        self.waiting = 0
        self._pieces: list[bytes] = []
        self._begun = False

    def feed(self, data: bytes) -> Sequence[str]:
        """Return the complete lines; blank ones keep the connection alive."""
        if b"\n" not in data:
            self._pieces.append(data)
            self.waiting += len(data)
            return ()
        *lines, rest = b"".join([*self._pieces, data]).split(b"\n")
        self._pieces, self.waiting = [rest], len(rest)
        if not self._begun:
            self._begun = True
            lines[0] = lines[0].removeprefix(BOM)
        return [line.decode(errors="replace").strip() for line in lines]

    def finish(self) -> Sequence[str]:
        """Return nothing: a line without an end was cut off."""
        return ()
