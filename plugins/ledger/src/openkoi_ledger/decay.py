"""How an entry fades when nothing speaks for it: computed when it is asked for, from its worth and since when.

Nothing that is computed here is ever stored, so that any number of runs fades it as much as one.
"""

from datetime import UTC, datetime, timedelta
from math import exp, log

PER_WEEK = 0.05
WORTH_KEEPING = 0.1
WEEK = timedelta(weeks=1)


def now() -> str:
    """What time it is, as the log writes it: UTC in ISO 8601, with microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def confidence(worth: float, since: str, now: str, per_week: float = PER_WEEK) -> float:
    """What is left of a worth that was last confirmed at a time; both in ISO 8601."""
    if not since or not now:
        return worth
    weeks = (datetime.fromisoformat(now) - datetime.fromisoformat(since)) / WEEK
    return worth * exp(-per_week * max(0.0, weeks))


def expiry(worth: float, since: str, per_week: float = PER_WEEK) -> str:
    """When it will be worth too little to be kept."""
    if worth <= WORTH_KEEPING or per_week <= 0:
        return since
    moment = datetime.fromisoformat(since) + log(worth / WORTH_KEEPING) / per_week * WEEK
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
