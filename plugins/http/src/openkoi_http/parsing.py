"""Parse numbers and objects that a server sends; invalid numbers become zero."""

from openkoi_hookspecs import Json

from .json_objects import decode_json
from .server import Server

MAX_COUNT = 10**12


def parse_count(value: Json) -> int:
    """Return a token count, or 0 for an invalid one."""
    return value if type(value) is int and 0 <= value <= MAX_COUNT else 0


def parse_object(data: str | bytes, server: Server, *, marking: bool = True) -> dict[str, Json]:
    """Parse one JSON object of a response, ``marking`` objects with duplicate keys, as ``decode_json`` does.

    Raise ProviderUnavailableError when it is not an object, EmptyResponseError for null and the like.
    """
    try:
        frame = decode_json(data, marking=marking) if data else None
    except (ValueError, RecursionError):
        frame = "unreadable"
    if isinstance(frame, dict):
        return frame
    if not frame:
        raise server.empty_error()
    start = data[:80] if isinstance(data, str) else data[:80].decode(errors="replace")
    raise server.unavailable(f"sent data that is not part of a response: {start!r}.")
