"""Compare requests regardless of volatile content.

Volatile are generated ids, UUIDs, dates, times, durations, and the environment section of a prompt: a recording is
replayed on other days and machines.
"""

import hashlib
import json
import re
from itertools import count

from openkoi_hookspecs import Json
from openkoi_hookspecs.lazy_pattern import lazy_pattern

GENERATED_ID = lazy_pattern(
    r"\bcall_[0-9a-f]{24}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE
)
ENVIRONMENT = lazy_pattern(r"<environment>.*?</environment>", re.DOTALL)
ZONE = r"(?:Z|[+-]\d\d:?\d\d)?"
DATE_OR_DURATION = lazy_pattern(
    rf"\b\d{{4}}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?{ZONE})?\b"
    rf"|\b\d\d:\d\d:\d\d(?:[.,]\d+)?{ZONE}"
    r"|\b\d+(?:\.\d+)? ?(?:s|ms|secs?|seconds)\b"
)


def digest_request(body: bytes) -> str:
    """Return a digest that is equal for equivalent requests."""
    return hashlib.sha256(mask_volatile(canonicalize(body)).encode()).hexdigest()[:16]


def canonicalize(body: bytes) -> str:
    """Return JSON with sorted keys; return anything else unchanged."""
    try:
        value: Json = json.loads(body)
        return json.dumps(value, sort_keys=True)
    except (ValueError, RecursionError):
        return body.decode("latin-1")


def mask_volatile(text: str) -> str:
    """Replace volatile content; number ids so that references between them still count."""
    numbers: dict[str, int] = {}
    fresh = count(1)

    def number_id(match: re.Match[str]) -> str:
        if match[0] not in numbers:
            numbers[match[0]] = next(fresh)
        return f"<id {numbers[match[0]]}>"

    return DATE_OR_DURATION.sub("<time>", GENERATED_ID.sub(number_id, ENVIRONMENT.sub("<environment>", text)))
