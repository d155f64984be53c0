"""Extract lessons from a finished run by rules, without a model."""

from .corrections import corrections
from .entry import LearningEntry
from .lesson import Lesson
from .patterns import recurring, slow
from .repairs import repairs
from .traps import regressions, traps


def extract_entries(lesson: Lesson) -> list[LearningEntry]:
    """Return everything that the rules find."""
    found = [*corrections(lesson), *repairs(lesson), *traps(lesson), *regressions(lesson), *recurring(lesson)]
    return list({entry.id: entry for entry in [*found, *slow(lesson)]}.values())
