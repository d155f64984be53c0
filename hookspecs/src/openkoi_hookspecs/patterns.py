"""Usage patterns: what the user does repeatedly."""

from dataclasses import KW_ONLY

from .events_base import Event
from .lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Pattern:
    """Something that the user does repeatedly, with its statistics.

    ``schedule`` is a cron expression, or empty. ``samples`` is how often it was seen, on how many ``days``;
    ``confidence`` is from 0.0 to 1.0. Set ``dropped`` in a hook to drop it.
    """

    title: str
    _: KW_ONLY
    kind: str
    schedule: str = ""
    samples: int = 0
    days: int = 0
    confidence: float = 0.0
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class UsageRecorded(Event):
    """Something the user did, for plugins that detect patterns: a Task, a Command, a SkillUse or an Integration."""

    name = "usage"
    kind: str
    description: str
    _: KW_ONLY
    category: str = ""
    channel: str = "cli"
    skills: tuple[str, ...] = ()
    score: float | None = None


@dataclass(frozen=True, slots=True)
class PatternProposed(Event):
    """A pattern after all plugins have seen it; logged outside runs, before the user sees it."""

    name = "pattern.proposed"
    pattern: Pattern
