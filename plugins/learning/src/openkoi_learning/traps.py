"""Learn from advice that was followed and did harm: a check failed, or the score fell."""

from collections.abc import Iterator

from openkoi_hookspecs import Finding, Iteration, LearningStatus

from .entry import LearningEntry, Trust, short
from .evidence import followed_sentences, steps, touches
from .lesson import Lesson, make_entry, proof_of
from .words import terms

REGRESSED, VERIFIED = 0.7, 0.8
NOWHERE = Finding("")


def traps(lesson: Lesson) -> Iterator[LearningEntry]:
    """Advice that was followed, and turned a check red that was green.

    What mended another check is not to be warned of, unless it speaks of the one that turned red. It is verified where
    what was written has the advice in it; else it is only what was said before.
    """
    for number, step in steps(lesson.result.iterations):
        red = sorted(step.new.failing & {check.name for check in step.old.checks if check.passed})
        advice = find_advice(step.after, red[0]) if red else ""
        if advice and (not step.fixed_checks or terms(advice) & terms(red[0])):
            done = followed_sentences(advice, step.written) if touches(NOWHERE, red[0], step.changed_files) else ""
            warning = f"Do not: {short(done or advice, 140)}"
            sure = (
                {"standing": LearningStatus.ACTIVE, "trust": Trust.CHECK, "base": VERIFIED}
                if done
                else {"base": REGRESSED}
            )
            text, proof = f"{warning} (it turned {red[0]} red)", proof_of(lesson, number, None, step)
            yield make_entry(lesson, "anti_pattern", text, proof, advice=warning, **sure)


def regressions(lesson: Lesson) -> Iterator[LearningEntry]:
    """Advice that was followed, and made the score fall: perhaps a judge's mood."""
    for number, step in steps(lesson.result.iterations):
        if (
            step.score_gain < -lesson.thresholds.regression
            and not step.broken
            and (advice := find_advice(step.after, ""))
        ):
            warning = f"Perhaps do not: {short(advice, 150)}"
            facts = {"advice": warning, "base": REGRESSED}
            proof = proof_of(lesson, number, None, step)
            yield make_entry(lesson, "anti_pattern", f"{warning} (the score fell)", proof, **facts)


def find_advice(iteration: Iteration, check: str) -> str:
    """Return the advice at fault: what an iteration was shown about the check, or its only advice."""
    fixes = [finding.fix for finding in iteration.plan.feedback if finding.fix]
    advice = list(dict.fromkeys(filter(None, (iteration.plan.suggestion, *fixes))))
    about = [one for one in advice if terms(one) & terms(check)]
    return about[0] if about else advice[0] if len(advice) == 1 and not iteration.plan.feedback[1:] else ""
