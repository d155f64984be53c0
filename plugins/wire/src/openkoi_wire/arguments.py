"""Read the arguments of a tool call as a model wrote them.

What is whole and unambiguous is read, also with Python's quotes or a comma too many. What was cut off, glued together
or says a thing twice is not guessed at. Knows no schema: whether the arguments fit the tool is for others to judge.
"""

from json import JSONDecoder

from openkoi_hookspecs import Json

from .literals import as_json
from .objects import marked, reliable, shallow

DECODER = JSONDecoder(strict=False, object_pairs_hook=marked)


def read_arguments(written: Json) -> dict[str, Json] | None:
    """Return the arguments, or None when they cannot be relied upon. Nothing at all means no arguments."""
    if isinstance(written, str) and not written.strip():
        return {}
    value = read(written) if isinstance(written, str) else written
    return value if isinstance(value, dict) and shallow(value) and reliable(value) else None


def read(text: str) -> Json:
    """Read JSON, or else what looks like it; None when neither will do."""
    try:
        return strict(text)
    except (ValueError, RecursionError):
        return lenient(text)


def strict(text: str) -> Json:
    """Read JSON, also when it was written as a string of JSON."""
    value: Json = DECODER.decode(text)
    return strict(value) if isinstance(value, str) and value.lstrip().startswith("{") else value


def lenient(text: str) -> Json:
    """Read what is JSON but for its quotes, words and commas; None when it is more than that."""
    try:
        return strict(as_json(text))
    except (ValueError, RecursionError):
        return None
