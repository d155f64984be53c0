"""Compute how learned entries (lessons) are forgotten: their worth (confidence) decays without new evidence.

Results are never stored, so that the number of runs does not matter.
"""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from math import exp, log

from openkoi_hookspecs.lazy_dataclass import dataclass

DECAY_PER_WEEK = 0.05  # default of memory.learning_decay_rate
MIN_WORTH = 0.1  # default of learning.hide_below
WEEK = timedelta(weeks=1)


@dataclass(frozen=True, slots=True)
class Decay:
    """The share of its worth that an entry loses per week, and the worth below which it is not shown (MEM-12)."""

    per_week: float = DECAY_PER_WEEK
    hide_below: float = MIN_WORTH

    @property
    def fades(self) -> bool:
        """Whether an entry's worth can ever become too low to be shown."""
        return min(self.per_week, self.hide_below) > 0


DEFAULT_DECAY = Decay()


def utc_now() -> str:
    """Return the current time as the log writes it: UTC in ISO 8601, with microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def parse_time(text: str) -> datetime | None:
    """Return a time in ISO 8601, in UTC if it names no zone; None for another text, which an import may contain."""
    with suppress(ValueError):
        time = datetime.fromisoformat(text)
        return time if time.tzinfo else time.replace(tzinfo=UTC)
    return None


def decayed_worth(worth: float, since: str, now: str, decay: Decay = DEFAULT_DECAY) -> float:
    """Return what remains of a worth that was confirmed at a time; both times are in ISO 8601."""
    start, end = parse_time(since), parse_time(now)
    if not (start and end):
        return worth
    weeks = (end - start) / WEEK
    return worth * exp(-decay.per_week * max(0.0, weeks))


def expires_at(worth: float, since: str, decay: Decay = DEFAULT_DECAY) -> str:
    """Return when an entry's worth becomes too low to be shown; its confirmation's time if that is now or never."""
    start = parse_time(since)
    if not start or worth <= decay.hide_below or not decay.fades:
        return since
    moment = start + log(worth / decay.hide_below) / decay.per_week * WEEK
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
