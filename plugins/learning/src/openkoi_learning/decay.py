"""How an entry fades when nothing speaks for it: computed when it is asked for, from its worth and since when.

Nothing that is computed here is ever stored, so that any number of runs fades it as much as one.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import exp, log

from openkoi_settings import keys

PER_WEEK = keys.LEARNING_DECAY_RATE.default
WORTH_KEEPING = keys.PRUNE_BELOW.default
WEEK = timedelta(weeks=1)


@dataclass(frozen=True, slots=True)
class Decay:
    """The share of its worth that an entry loses a week, and the worth below which it is not shown (MEM-12)."""

    per_week: float = PER_WEEK
    prune_below: float = WORTH_KEEPING

    @property
    def fades(self) -> bool:
        """Whether an entry is ever worth too little to be shown."""
        return min(self.per_week, self.prune_below) > 0


USUAL = Decay()


def now() -> str:
    """What time it is, as the log writes it: UTC in ISO 8601, with microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def confidence(worth: float, since: str, now: str, decay: Decay = USUAL) -> float:
    """What is left of a worth that was last confirmed at a time; both in ISO 8601."""
    if not since or not now:
        return worth
    weeks = (datetime.fromisoformat(now) - datetime.fromisoformat(since)) / WEEK
    return worth * exp(-decay.per_week * max(0.0, weeks))


def expiry(worth: float, since: str, decay: Decay = USUAL) -> str:
    """When it will be worth too little to be shown; when it was confirmed, where it is now or never will be."""
    if worth <= decay.prune_below or not decay.fades:
        return since
    moment = datetime.fromisoformat(since) + log(worth / decay.prune_below) / decay.per_week * WEEK
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
