"""Extract lessons from a finished run by rules, without a model."""

from .corrections import find_corrections
from .entry import LearningEntry
from .harmful_advice import find_harmful_advice, find_regressions
from .lesson import Lesson
from .patterns import find_recurring_blockers, find_slow_progress
from .repairs import find_repairs


def extract_entries(lesson: Lesson) -> list[LearningEntry]:
    """Return everything that the rules find."""
    found = [
        *find_corrections(lesson),
        *find_repairs(lesson),
        *find_harmful_advice(lesson),
        *find_regressions(lesson),
    ]
    patterns = [*find_recurring_blockers(lesson, found), *find_slow_progress(lesson)]
    return list({entry.id: entry for entry in [*found, *patterns]}.values())
