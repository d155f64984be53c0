"""When a server may be asked again, as it says itself. Knows two headers and the clock."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait at least, from milliseconds, seconds or a date; None when none are given that make sense."""
    milliseconds = number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    seconds = number(value)
    return until(value) if seconds is None else seconds


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
