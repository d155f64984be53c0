"""Read what a server says of itself in numbers and words. What makes no sense is not made up."""

from openkoi_hookspecs import Json

from .objects import decoded
from .server import Server

MOST = 10**12


def count(value: Json) -> int:
    """Return a number of tokens, or 0 for what is none."""
    return value if type(value) is int and 0 <= value <= MOST else 0


def parsed(data: str | bytes, server: Server) -> dict[str, Json]:
    """Read one JSON object of an answer.

    Raises ProviderUnavailableError when it is none, EmptyResponseError for null and the like.
    """
    try:
        frame = decoded(data) if data else None
    except (ValueError, RecursionError):
        frame = "unreadable"
    if isinstance(frame, dict):
        return frame
    if not frame:
        raise server.empty()
    start = data[:80] if isinstance(data, str) else data[:80].decode(errors="replace")
    raise server.unavailable(f"sent something that is no part of an answer: {start!r}.")
