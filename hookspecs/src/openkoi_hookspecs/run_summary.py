"""A run in a list of runs."""

from dataclasses import KW_ONLY
from enum import StrEnum

from .lazy_dataclass import dataclass


class RunState(StrEnum):
    """The state of a run. A waiting run needs an answer from the user, and then continues, or is resumed."""

    RUNNING = "running"
    WAITING = "waiting"
    FINISHED = "finished"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run in a list of runs.

    ``started_at`` is the time in UTC (ISO 8601), ``score`` the score of the returned iteration.
    """

    id: str
    session: str
    text: str
    started_at: str
    state: RunState
    _: KW_ONLY
    score: float | None = None
