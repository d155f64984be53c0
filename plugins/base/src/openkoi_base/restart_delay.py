"""Compute the backoff before a failed process is restarted: longer with each failure in a row."""

from dataclasses import dataclass
from time import monotonic

FIRST_DELAY_SECONDS, LONGEST_DELAY_SECONDS = 0.5, 30.0  # estimate: doubled with each failure in a row


@dataclass(slots=True)
class RestartDelay:
    """The failures in a row of one process. The first ``free`` ones cause no delay."""

    free: int = 0
    failures: int = 0
    next_start: float = 0.0

    @property
    def seconds_left(self) -> float:
        """How long to wait before the next start."""
        return max(0.0, self.next_start - monotonic())

    def note_failure(self) -> None:
        """Record a failure, which delays the next start."""
        doublings = self.failures - self.free
        if doublings >= 0:
            self.next_start = monotonic() + min(FIRST_DELAY_SECONDS * 2**doublings, LONGEST_DELAY_SECONDS)
        self.failures += 1

    def note_success(self) -> None:
        """Forget earlier failures."""
        self.failures, self.next_start = 0, 0.0
