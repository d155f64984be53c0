"""Where one event of a stream ends and the next begins, when it is not a stream of server-sent events.

Knows bytes; opens no connection.
"""

from collections.abc import Iterable
from typing import Protocol

BOM = b"\xef\xbb\xbf"


class Framing(Protocol):
    """Cuts one answer into its events. One object reads one answer."""

    def feed(self, data: bytes) -> Iterable[str]:
        """Take the next bytes and return the events that are complete; raises ValueError when they are none."""


class Lines:
    """A JSON document a line; what follows the last line's end is an event that was cut off."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []
        self._begun = False

    def feed(self, data: bytes) -> Iterable[str]:
        """Return the lines that are complete; blank ones keep the connection alive."""
        if b"\n" not in data:
            self._waiting.append(data)
            return ()
        *lines, rest = b"".join([*self._waiting, data]).split(b"\n")
        self._waiting = [rest]
        if not self._begun:
            self._begun = True
            lines[0] = lines[0].removeprefix(BOM)
        return [line.decode(errors="replace").strip() for line in lines]
