"""Decide when a model call fails, as at a rate limit: retry with backoff and jitter, use the next model, or give up."""

from collections.abc import Callable, Sequence
from dataclasses import field
from random import uniform
from time import monotonic
from typing import TypeVar

from openkoi_hookspecs import EmptyResponseError, ProviderUnavailableError
from openkoi_hookspecs.lazy_dataclass import dataclass

T = TypeVar("T")

MAX_TRIES = 4
MAX_TRIES_BEFORE_NEXT = 2
MAX_TRIES_OF_EMPTY = 2  # issue 15: the same question to a model that says nothing is not worth four requests
MAX_WAIT_SECONDS = 60.0
RETRY_BUDGET_SECONDS = 120.0
FIRST_WAIT_SECONDS = 0.5
JITTER = 0.25  # random share added to a wait, so that clients do not retry together (estimate)
COOLDOWN_SECONDS = 60.0


def backoff(error: ProviderUnavailableError, tries: int, *, others: bool = False) -> float | None:
    """Return how long to wait before retrying; None if that is useless, or another model is available.

    The vendor's time is a lower bound; without it the wait doubles. Jitter keeps runs from retrying together.
    """
    least = error.retry_after or 0.0
    most = (
        MAX_TRIES_OF_EMPTY if isinstance(error, EmptyResponseError) else MAX_TRIES_BEFORE_NEXT if others else MAX_TRIES
    )
    if least > MAX_WAIT_SECONDS or tries >= most:
        return None
    wait = max(least, FIRST_WAIT_SECONDS * 2.0 ** (tries - 1))
    return min(wait * uniform(1.0, 1.0 + JITTER), max(least, MAX_WAIT_SECONDS))


@dataclass(slots=True)
class Cooldowns:
    """Models that failed, and until when they are not called."""

    clock: Callable[[], float] = monotonic
    until: dict[str, float] = field(default_factory=dict)

    def leave(self, name: str, seconds: float | None) -> None:
        """Do not call a model for as long as it asked, or a minute."""
        self.until[name] = self.clock() + max(seconds or 0.0, COOLDOWN_SECONDS)

    def ready(self, names: Sequence[str]) -> Sequence[str]:
        """Return the models that can be called now; all of them if none can."""
        now = self.clock()
        return [name for name in names if self.until.get(name, 0.0) <= now] or names


def chain_error(names: Sequence[str], error: ProviderUnavailableError) -> ProviderUnavailableError:
    """Return the error for a chain that failed completely, with the time to retry."""
    when = f" Try again in {error.retry_after:.0f} s." if error.retry_after else ""
    tried = f" Tried: {', '.join(names)}."
    return ProviderUnavailableError(f"No model answered: {error}{when}{tried}", retry_after=error.retry_after)
