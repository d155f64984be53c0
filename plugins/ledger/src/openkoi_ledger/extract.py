"""What a finished run taught, told from its iterations by rules: no model is asked. Knows results; knows no ledger.

A repair whose own check turned green by a change to its subject is active at once. What a judge said, and what the
documents' three rules notice, is an opinion: it starts on probation, the latter with the confidence they give it.
"""

from .corrections import corrections
from .entry import Entry
from .lesson import Lesson
from .patterns import recurring, slow
from .repairs import repairs
from .traps import regressions, traps


def extracted(lesson: Lesson) -> list[Entry]:
    """Everything that the rules find."""
    found = [*corrections(lesson), *repairs(lesson), *traps(lesson), *regressions(lesson), *recurring(lesson)]
    return list({entry.id: entry for entry in [*found, *slow(lesson)]}.values())
