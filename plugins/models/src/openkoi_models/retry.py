"""What to do when a model does not answer: wait and ask again, ask the next one, or give up. Pure but for a clock."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import uniform
from time import monotonic
from typing import TypeVar

from openkoi_hookspecs import EmptyResponseError, ProviderUnavailableError

T = TypeVar("T")

TRIES = 4
TRIES_BEFORE_NEXT = 2
TRIES_OF_EMPTY = 2  # issue 15: the same question to a model that says nothing is not worth four requests
MAX_WAIT = 60.0
RETRY_BUDGET = 120.0
FIRST_WAIT = 0.5
JITTER = 0.25
COOLDOWN = 60.0


def backoff(error: ProviderUnavailableError, tries: int, *, others: bool = False) -> float | None:
    """How long to wait before asking the same model again; None: it is of no use, or somebody else can be asked.

    What the vendor says is a lower bound; without it the wait doubles. A little chance keeps runs from asking together.
    """
    least = error.retry_after or 0.0
    most = TRIES_OF_EMPTY if isinstance(error, EmptyResponseError) else TRIES_BEFORE_NEXT if others else TRIES
    if least > MAX_WAIT or tries >= most:
        return None
    wait = max(least, FIRST_WAIT * 2.0 ** (tries - 1))
    return min(wait * uniform(1.0, 1.0 + JITTER), max(least, MAX_WAIT))


@dataclass(slots=True)
class Cooldowns:
    """Models that did not answer, and until when they are left alone."""

    clock: Callable[[], float] = monotonic
    until: dict[str, float] = field(default_factory=dict)

    def leave(self, name: str, seconds: float | None) -> None:
        """Leave a model alone for as long as it asked for, or a minute."""
        self.until[name] = self.clock() + max(seconds or 0.0, COOLDOWN)

    def ready(self, names: Sequence[str]) -> Sequence[str]:
        """Those that can be asked now; all of them when none can, for something must be tried."""
        now = self.clock()
        return [name for name in names if self.until.get(name, 0.0) <= now] or names
