"""Split server-sent events (SSE), or a plain document that was sent instead, as bytes that are decoded whole."""

from collections.abc import Sequence

BOM = b"\xef\xbb\xbf"
DOCUMENT_START = (b"{", b"[")
DATA = b"data"
FIELDS = (b"event", b"id", b"retry")  # an event of these alone has no data


class ServerSentEvents:
    """Split one response into the data of its events; a byte order mark and white space may precede them."""

    def __init__(self) -> None:
        self.waiting = 0
        self._begun = self._is_document = self._has_field = self._ends_with_cr = False
        self._pieces: list[bytes] = []
        self._data: list[bytes] = []
        self._size = self._rest = 0

    def feed(self, data: bytes) -> Sequence[str]:
        """Add bytes and return the complete events."""
        if not self._begun:
            data = self._begin(data)
        events = [] if self._is_document or not self._begun else self._take_lines(self._split(data))
        if self._is_document or not self._begun:
            self._keep(data)
        self.waiting = 0 if self._is_document else self._size + self._rest
        return events

    def finish(self) -> Sequence[str]:
        """Return a document; an event that does not end with an empty line counts as truncated."""
        if self._is_document:
            return [b"".join(self._pieces).decode(errors="replace")]
        return self._take_lines(self._split(b"\n\n")) if self._ends_with_cr else []

    def _begin(self, data: bytes) -> bytes:
        """Return the received bytes; until ``_begun``, they are too few to recognize the start of the stream."""
        data = b"".join([*self._pieces, data]).lstrip()
        self._pieces, self._rest = [], 0
        start = data.removeprefix(BOM).lstrip()
        if len(start) < len(BOM):
            return data
        self._begun, self._is_document = True, start.startswith(DOCUMENT_START)
        return start

    def _keep(self, piece: bytes) -> None:
        self._pieces.append(piece)
        self._rest += len(piece)

    def _split(self, data: bytes) -> list[bytes]:
        """Return the lines that are complete; a line ends with a line feed, a carriage return or both."""
        if self._ends_with_cr:
            data = b"\r" + data
        self._ends_with_cr = data.endswith(b"\r")
        if b"\r" in data:
            data = data.removesuffix(b"\r").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if b"\n" not in data:
            self._keep(data)
            return []
        *lines, rest = b"".join([*self._pieces, data]).split(b"\n") if self._pieces else data.split(b"\n")
        self._pieces, self._rest = [rest] if rest else [], len(rest)
        return lines

    def _take_lines(self, lines: Sequence[bytes]) -> list[str]:
        """Return the events that these lines end."""
        events = []
        for line in lines:
            if line:
                self._take_field(line)
                continue
            if self._data or self._has_field:
                events.append(b"\n".join(self._data).decode(errors="replace"))
            self._data, self._has_field, self._size = [], False, 0
        return events

    def _take_field(self, line: bytes) -> None:
        """Record a line of an event; ignore a comment."""
        name, _, value = line.partition(b":")
        if not name:
            return
        self._size += len(line)
        if name == DATA:
            self._data.append(value.removeprefix(b" "))
        elif name in FIELDS:
            self._has_field = True
