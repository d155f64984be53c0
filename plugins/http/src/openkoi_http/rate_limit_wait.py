"""Read how long to wait after a rate limit (429): from the ``Retry-After`` header or the error's message."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from openkoi_hookspecs.lazy_pattern import lazy_pattern

DURATION = r"(\d{1,6}(?:\.\d{1,9})?) ?(milliseconds?|ms|hours?|h|minutes?|mins?|m|seconds?|secs?|s)(?![a-z])"
DURATIONS = lazy_pattern(DURATION, re.IGNORECASE)
TRY_AGAIN = lazy_pattern(
    rf"\b(?:try again|retry|retry again|come back) (?:in|after) (?:about )?((?:{DURATION}(?:,? (?:and )?)?)+)",
    re.IGNORECASE,
)


def parse_retry_headers(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait, from milliseconds, seconds or a date; None when no valid value is given."""
    milliseconds = parse_number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    seconds = parse_number(value)
    return seconds_until(value) if seconds is None else seconds


def parse_retry_message(message: str) -> float | None:
    """Return the seconds to wait from a message such as "try again in 1m3s", or None."""
    found = TRY_AGAIN.search(message)
    if found is None:
        return None
    return sum(float(number) * unit_seconds(unit.lower()) for number, unit in DURATIONS.findall(found[1]))


def unit_seconds(unit: str) -> float:
    """Return the length of a unit of time in seconds."""
    if unit.startswith("mil") or unit == "ms":
        return 0.001
    return {"s": 1.0, "m": 60.0, "h": 3600.0}[unit[0]]


def parse_number(value: str) -> float | None:
    """Parse a finite, non-negative number."""
    try:
        parsed = float(value)
    except ValueError:
        return None
    return parsed if math.isfinite(parsed) and parsed >= 0 else None


def seconds_until(value: str) -> float | None:
    """Return the seconds until a date, or 0.0 when it is past."""
    try:
        date = parsedate_to_datetime(value)
        return max(0.0, (date.astimezone(UTC) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None
