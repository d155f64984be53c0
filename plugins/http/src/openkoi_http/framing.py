"""Split a stream that is not server-sent events into events."""

from collections.abc import Iterable
from typing import Protocol

BOM = b"\xef\xbb\xbf"


class Framing(Protocol):
    """Split one response into events; use one object per response."""

    def feed(self, data: bytes) -> Iterable[str]:
        """Add bytes and return the complete events; raise ValueError for invalid ones."""


class JsonLines:
    """Split a stream of one JSON document per line; an unterminated last line counts as truncated."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []
        self._begun = False

    def feed(self, data: bytes) -> Iterable[str]:
        """Return the complete lines; blank ones keep the connection alive."""
        if b"\n" not in data:
            self._waiting.append(data)
            return ()
        *lines, rest = b"".join([*self._waiting, data]).split(b"\n")
        self._waiting = [rest]
        if not self._begun:
            self._begun = True
            lines[0] = lines[0].removeprefix(BOM)
        return [line.decode(errors="replace").strip() for line in lines]
