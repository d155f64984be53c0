"""Read what a server says of itself in numbers and words. What makes no sense is not made up."""

from openkoi_hookspecs import Json

from .objects import decoded
from .server import Server

MOST = 10**12


def count(value: Json) -> int:
    """Return a number of tokens, or 0 for what is none."""
    return value if type(value) is int and 0 <= value <= MOST else 0


def parsed(data: str | bytes, server: Server) -> dict[str, Json]:
    """Read one JSON object of an answer; raises Unavailable when it is none."""
    try:
        frame = decoded(data)
    except (ValueError, RecursionError):
        frame = None
    if isinstance(frame, dict):
        return frame
    if not data:
        raise server.unavailable("sent an empty answer.")
    start = data[:80] if isinstance(data, str) else data[:80].decode(errors="replace")
    raise server.unavailable(f"sent something that is no part of an answer: {start!r}.")
