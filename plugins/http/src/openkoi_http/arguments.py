"""Parse the arguments of a tool call, and repair malformed JSON where its meaning is certain.

Python quotes and trailing commas are repaired; truncated, concatenated or ambiguous arguments are rejected. Validation
against the tool's schema happens in ``openkoi_base.schema.coerce``.
"""

from json import JSONDecoder

from openkoi_hookspecs import Json

from .json_objects import build_object, is_reliable, is_shallow
from .python_literals import to_json

ARGUMENTS_DECODER = JSONDecoder(strict=False, object_pairs_hook=build_object)


def parse_arguments(written: Json) -> dict[str, Json] | None:
    """Return the arguments, or None when they are unreliable; empty text means no arguments."""
    if isinstance(written, str) and not written.strip():
        return {}
    value = parse_lenient(written) if isinstance(written, str) else written
    return value if isinstance(value, dict) and is_shallow(value) and is_reliable(value) else None


def parse_lenient(text: str) -> Json:
    """Parse JSON, or a Python literal that looks like it; return None when neither works."""
    try:
        return parse_json(text)
    except (ValueError, RecursionError):
        return parse_python_literal(text)


def parse_json(text: str) -> Json:
    """Parse JSON, also when it is wrapped in a JSON string."""
    value: Json = ARGUMENTS_DECODER.decode(text)
    return parse_json(value) if isinstance(value, str) and value.lstrip().startswith("{") else value


def parse_python_literal(text: str) -> Json:
    """Parse JSON with Python's quotes, constants and commas; return None when that fails."""
    try:
        return parse_json(to_json(text))
    except (ValueError, RecursionError):
        return None
