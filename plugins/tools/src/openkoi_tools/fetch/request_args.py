"""Parse the arguments of a call of ``fetch_url``."""

from openkoi_hookspecs import Arguments, Json, ToolError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .address import PageAddress, parse_address

PARAMETERS: dict[str, Json] = {
    "type": "object",
    "properties": {
        "url": {"type": "string", "description": "http or https"},
        "start": {"type": "integer", "minimum": 0, "default": 0, "description": "character to continue from"},
    },
    "required": ["url"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A page, and the character to start from."""

    address: PageAddress
    start: int = 0


def parse_request(arguments: Arguments) -> PageRequest:
    """Parse the arguments of a call; raise ToolError with what is expected."""
    url, start = arguments.get("url"), arguments.get("start")
    if not isinstance(url, str) or not url.strip():
        raise ToolError("The argument 'url' is missing. Give the page as https://host/path.")
    return PageRequest(parse_address(url), parse_start(start))


def parse_start(given: Json) -> int:
    """Return the character to start from."""
    if given is None:
        return 0
    if isinstance(given, str) and given.isascii() and given.isdigit() and len(given) < 16:
        return int(given)
    if isinstance(given, bool) or not isinstance(given, int | float) or given < 0 or given != given // 1:
        raise ToolError("The argument 'start' must be a whole number, 0 or more.")
    return int(given)
