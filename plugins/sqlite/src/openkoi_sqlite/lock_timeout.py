"""Limit how long to wait for a file that another process writes."""

from dataclasses import field
from random import uniform
from threading import Event
from time import monotonic

from openkoi_hookspecs.lazy_dataclass import dataclass

MIN_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.001, 0.03


@dataclass(slots=True)
class LockTimeout:
    """The total time to wait from the first wait; none once the answer is not needed."""

    seconds: float
    given_up: Event = field(default_factory=Event)
    until: float = 0.0

    def lasts(self) -> bool:
        """Pause for a short random while, so that those who wait do not ask in step; False when it is at its end."""
        self.until = self.until or monotonic() + self.seconds
        if self.given_up.is_set() or monotonic() >= self.until:
            return False
        self.given_up.wait(uniform(MIN_PAUSE_SECONDS, MAX_PAUSE_SECONDS))
        return True
