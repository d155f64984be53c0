"""Recognize an empty body or event, whatever its content type."""

import json

from openkoi_hookspecs import Json
from openkoi_hookspecs.lazy_pattern import lazy_pattern

MAX_BLANK_BYTES = 1024
LONGEST_EVENT = 64
FIELD = lazy_pattern(r"(?:data|event|id|retry)(?::|$)")
END = "[DONE]"


def is_blank(body: bytes) -> bool:
    """Return whether a body is white space, empty JSON, or consists of empty lines and events."""
    if len(body) > MAX_BLANK_BYTES:
        return False
    text = body.removeprefix(b"\xef\xbb\xbf").decode(errors="replace").strip()
    return holds_nothing(text) or all(map(is_blank_line, text.splitlines()))


def is_blank_line(line: str) -> bool:
    """Return whether a line of a stream is a comment, names an event, or has no content."""
    field = FIELD.match(line)
    value = line[field.end() :].strip() if field else line.strip()
    return line.startswith((":", "event:", "id:", "retry:")) or value == END or holds_nothing(value)


def is_blank_event(event: str) -> bool:
    """Return whether an event of a stream is empty, like one that only keeps the connection alive."""
    return len(event) <= LONGEST_EVENT and is_blank_line(event)


def holds_nothing(text: str) -> bool:
    """Return whether a text is empty, only ``true`` or ``false``, or JSON without any content."""
    if text in ("", "true", "false"):
        return True
    try:
        found: Json = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return not isinstance(found, int | float) and is_hollow(found)


def is_hollow(found: Json) -> bool:
    """Return whether a value, with all values in it, is empty."""
    if isinstance(found, dict):
        return all(map(is_hollow, found.values()))
    if isinstance(found, list):
        return all(map(is_hollow, found))
    return not found
