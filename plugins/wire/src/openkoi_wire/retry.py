"""When a server may be asked again, as it says itself. Knows two headers, some words and the clock."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LENGTH = r"(\d{1,6}(?:\.\d{1,9})?) ?(milliseconds?|ms|hours?|h|minutes?|mins?|m|seconds?|secs?|s)(?![a-z])"
LENGTHS = re.compile(LENGTH, re.IGNORECASE)
AGAIN = re.compile(
    rf"\b(?:try again|retry|retry again|come back) (?:in|after) (?:about )?((?:{LENGTH}(?:,? (?:and )?)?)+)",
    re.IGNORECASE,
)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait at least, from milliseconds, seconds or a date; None when none are given that make sense."""
    milliseconds = number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    seconds = number(value)
    return until(value) if seconds is None else seconds


def said_in(message: str) -> float | None:
    """Seconds to wait, as in: try again in 1m3s; None when a message does not say."""
    found = AGAIN.search(message)
    if found is None:
        return None
    return sum(float(number) * seconds(unit.lower()) for number, unit in LENGTHS.findall(found[1]))


def seconds(unit: str) -> float:
    """How long a unit of time is."""
    if unit.startswith("mil") or unit == "ms":
        return 0.001
    return {"s": 1.0, "m": 60.0, "h": 3600.0}[unit[0]]


def number(value: str) -> float | None:
    """Read a number that is finite and not negative."""
    try:
        parsed = float(value)
    except ValueError:
        return None
    return parsed if math.isfinite(parsed) and parsed >= 0 else None


def until(value: str) -> float | None:
    """Seconds from now until a date, 0.0 when it is past."""
    try:
        date = parsedate_to_datetime(value)
        return max(0.0, (date.astimezone(UTC) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None
