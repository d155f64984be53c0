"""Advice that was followed, and did harm: a check turned red, or the score fell. Knows results; knows no ledger."""

from collections.abc import Iterator

from openkoi_hookspecs import Iteration, Standing

from .entry import Entry, Trust, short
from .lesson import Lesson, judged, noted, proof_of
from .words import terms

REGRESSED = 0.7


def traps(lesson: Lesson) -> Iterator[Entry]:
    """Advice that was followed, and turned a check red that was green.

    What mended another check is not to be warned of, unless it speaks of the one that turned red.
    """
    for number, _, old, after, new in judged(lesson):
        red = sorted(new.failing & {check.name for check in old.checks if check.passed})
        advice = followed(after, red[0]) if red else ""
        if advice and (not old.failing - new.failing or terms(advice) & terms(red[0])):
            proof = proof_of(lesson, number, None, after, old, new)
            warning = f"Do not: {short(advice, 140)}"
            facts = {"advice": warning, "standing": Standing.ACTIVE, "trust": Trust.CHECK, "base": 0.8}
            yield noted(lesson, "anti_pattern", f"{warning} (it turned {red[0]} red)", proof, **facts)


def regressions(lesson: Lesson) -> Iterator[Entry]:
    """Advice that was followed, and made the score fall: perhaps a judge's mood."""
    for number, _, old, after, new in judged(lesson):
        fell = (old.score or 0.0) - (new.score or 0.0) > lesson.thresholds.regression
        if fell and not new.failing - old.failing and (advice := followed(after, "")):
            proof = proof_of(lesson, number, None, after, old, new)
            warning = f"Perhaps do not: {short(advice, 150)}"
            yield noted(lesson, "anti_pattern", f"{warning} (the score fell)", proof, advice=warning, base=REGRESSED)


def followed(iteration: Iteration, check: str) -> str:
    """The advice that did it: what an iteration was told about the check, or the only thing that it was told."""
    fixes = [finding.fix for finding in iteration.plan.feedback if finding.fix]
    advice = list(dict.fromkeys(filter(None, (iteration.plan.suggestion, *fixes))))
    about = [one for one in advice if terms(one) & terms(check)]
    return about[0] if about else advice[0] if len(advice) == 1 and not iteration.plan.feedback[1:] else ""
