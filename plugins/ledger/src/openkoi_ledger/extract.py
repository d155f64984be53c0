"""What a finished run taught, told from its iterations by rules: no model is asked. Knows results; knows no ledger.

A repair that the next iteration bears out is active at once. What the documents' three rules notice is only a guess: it
starts on probation, with the confidence they give it.
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
