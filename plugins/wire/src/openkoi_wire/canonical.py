"""What makes two requests the same, although a date in them has moved on. Knows JSON and what is volatile in it.

Volatile are the ids that ``Calls`` makes up, UUIDs, dates, times of day, how long something took, and what a prompt
states about the environment: a recording is replayed on other days, in other folders and on other machines.
"""

import hashlib
import json
import re
from itertools import count

from openkoi_hookspecs import Json

MADE_UP = re.compile(
    r"\bcall_[0-9a-f]{24}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE
)
ENVIRONMENT = re.compile(r"<environment>.*?</environment>", re.DOTALL)
ZONE = r"(?:Z|[+-]\d\d:?\d\d)?"
MOMENT = re.compile(
    rf"\b\d{{4}}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?{ZONE})?\b"
    rf"|\b\d\d:\d\d:\d\d(?:[.,]\d+)?{ZONE}"
    r"|\b\d+(?:\.\d+)? ?(?:s|ms|secs?|seconds)\b"
)


def digest(body: bytes) -> str:
    """Return the same word for bodies that say the same."""
    return hashlib.sha256(steady(canonical(body)).encode()).hexdigest()[:16]


def canonical(body: bytes) -> str:
    """Write JSON in one way, whatever the order of its keys; anything else stays as it is."""
    try:
        value: Json = json.loads(body)
        return json.dumps(value, sort_keys=True)
    except (ValueError, RecursionError):
        return body.decode("latin-1")


def steady(text: str) -> str:
    """Take out what is volatile; an id becomes its number, so that who answers whom still counts."""
    numbers: dict[str, int] = {}
    fresh = count(1)

    def numbered(match: re.Match[str]) -> str:
        if match[0] not in numbers:
            numbers[match[0]] = next(fresh)
        return f"<id {numbers[match[0]]}>"

    return MOMENT.sub("<time>", MADE_UP.sub(numbered, ENVIRONMENT.sub("<environment>", text)))
