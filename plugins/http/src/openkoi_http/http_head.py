"""Parse the head of an HTTP/1.1 response. Does no I/O."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .network_errors import NetworkError

MAX_HEAD_BYTES = 100 * 1024
STATUS_LINE = lazy_pattern(rb"HTTP/1\.([0-9]) ([1-9][0-9]{2})(?: [^\x00]*)?")
FIELD = lazy_pattern(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00\r]*?)[ \t]*")
END = lazy_pattern(rb"\n\r?\n")


class ResponseHead(NamedTuple):
    """The status and the headers of a response, by names in lower case; ``keeps_alive`` is its version's default."""

    status: int
    headers: Mapping[str, str]
    keeps_alive: bool

    @property
    def is_informational(self) -> bool:
        """Whether another head follows."""
        return self.status < 200 and self.status != 101


def take_head(buffer: bytearray) -> ResponseHead | None:
    """Remove a head from the front; return None if it is not complete. Raises NetworkError if it is not HTTP."""
    found = END.search(buffer, 0, MAX_HEAD_BYTES)
    if found is None:
        if len(buffer) >= MAX_HEAD_BYTES or not b"HTTP/1.".startswith(bytes(buffer[:7])):
            raise NetworkError("its response is not HTTP/1.1")
        return None
    head = parse_head(bytes(buffer[: found.start()]))
    del buffer[: found.end()]
    return head


def parse_head(data: bytes) -> ResponseHead:
    """Parse a complete head."""
    first, *lines = data.split(b"\n")
    status_line = STATUS_LINE.fullmatch(first.removesuffix(b"\r"))
    if status_line is None:
        raise NetworkError("its response is not HTTP/1.1")
    headers: dict[str, str] = {}
    for line in unfold(lines):
        field = FIELD.fullmatch(line)
        if field is None:
            raise NetworkError("it sent an invalid header")
        name, value = field[1].decode().lower(), field[2].decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    words = {word.strip().lower() for word in headers.get("connection", "").split(",")}
    return ResponseHead(int(status_line[2]), headers, status_line[1] != b"0" and "close" not in words)


def unfold(lines: list[bytes]) -> Iterator[bytes]:
    """Yield the headers; a line that begins with a blank continues the one before."""
    whole = b""
    for line in lines:
        line = line.removesuffix(b"\r")
        if whole and line[:1] in (b" ", b"\t"):
            whole = b"%b %b" % (whole.rstrip(b" \t"), line.strip(b" \t"))
            continue
        if whole:
            yield whole
        whole = line
    if whole:
        yield whole
