"""Limit how long to wait for a file that another process writes."""

from dataclasses import field
from random import uniform
from threading import Event
from time import monotonic

from openkoi_hookspecs.lazy_dataclass import dataclass

MIN_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.001, 0.03


@dataclass(slots=True)
class LockTimeout:
    """The total time to wait for a lock, from the first wait; none once the answer is not needed."""

    seconds: float
    given_up: Event = field(default_factory=Event)
    until: float | None = None

    @property
    def has_waited(self) -> bool:
        """Whether it was necessary to wait."""
        return self.until is not None

    def lasts(self) -> bool:
        """Pause for a short random time, shorter when less time is left; return False at the timeout.

        So waiting processes do not retry in step, and one that has waited long is more likely to be next.
        """
        self.until = self.until or monotonic() + self.seconds
        left = self.until - monotonic()
        if left <= 0 or self.given_up.is_set():
            return False
        self.given_up.wait(uniform(MIN_PAUSE_SECONDS, MIN_PAUSE_SECONDS + MAX_PAUSE_SECONDS * left / self.seconds))
        return True
