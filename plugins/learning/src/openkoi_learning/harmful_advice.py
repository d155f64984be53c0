"""Write warnings about harmful advice (anti-patterns): it was followed, and a check failed or the score fell."""

from collections.abc import Iterator

from openkoi_hookspecs import Finding, Iteration, LearningStatus

from .content import find_content, is_shown, new_lines, terms_of, work_lines
from .entry import LearningEntry, Trust, shorten
from .evidence import IterationStep, evaluated_steps, followed_sentences, is_followed, touches_subject
from .lesson import Lesson, make_entry, make_evidence
from .thresholds import VERIFIED_WORTH

REGRESSION_WORTH = 0.7  # worth of an unverified warning before any outcome (LEARN-04)
NOWHERE = Finding("")


def find_harmful_advice(lesson: Lesson) -> Iterator[LearningEntry]:
    """Yield warnings about advice that was followed, and made a passing check fail.

    Advice that fixed another check is not warned of, unless it is about the check that failed. The warning is verified
    if the written lines contain the advice; else it is an opinion.
    """
    for number, step in evaluated_steps(lesson.result.iterations):
        red = sorted(step.new.failing & {check.name for check in step.old.checks if check.passed})
        advice = find_advice(step.after, red[0]) if red else ""
        content = forbidden_content(advice, step) if advice else None
        if content is not None and (not step.fixed_checks or terms_of(advice) & terms_of(red[0])):
            followed = (
                followed_sentences(advice, step.changed_text)
                if touches_subject(NOWHERE, red[0], step.changed_files)
                else ""
            )
            warning = f"Do not: {shorten(followed or advice, 140)}"
            sure = (
                {"standing": LearningStatus.ACTIVE, "trust": Trust.CHECK, "base": VERIFIED_WORTH}
                if followed
                else {"base": REGRESSION_WORTH}
            )
            text, proof = f"{warning} (it made {red[0]} fail)", make_evidence(lesson, number, None, step)
            yield make_entry(lesson, "anti_pattern", text, proof, advice=warning, content=content, **sure)


def forbidden_content(advice: str, step: IterationStep) -> tuple[str, ...] | None:
    """Return the part of advice that new lines follow; None if none do, or most are about other things."""
    written = new_lines(work_lines(step.before.work), work_lines(step.after.work))
    content = find_content(advice, written, work_lines(step.before.work))
    if is_shown(content, written):
        return content if 2 * sum(line.shows(content) for line in written) >= len(written) else None
    text = "\n".join((*(line.text for line in written), step.changed_text))
    return () if not written or is_followed(advice, text) else None


def find_regressions(lesson: Lesson) -> Iterator[LearningEntry]:
    """Yield warnings about advice that was followed, and made the score fall."""
    for number, step in evaluated_steps(lesson.result.iterations):
        if (
            step.score_gain < -lesson.thresholds.regression
            and not step.broken_checks
            and (advice := find_advice(step.after, ""))
            and (content := forbidden_content(advice, step)) is not None
        ):
            warning = f"Consider avoiding: {shorten(advice, 150)}"
            facts = {"advice": warning, "content": content, "base": REGRESSION_WORTH}
            proof = make_evidence(lesson, number, None, step)
            yield make_entry(lesson, "anti_pattern", f"{warning} (the score fell)", proof, **facts)


def find_advice(iteration: Iteration, check: str) -> str:
    """Return the harmful advice: that shown to an iteration about the check, or its only advice."""
    fixes = [finding.fix for finding in iteration.plan.feedback if finding.fix]
    advice = list(dict.fromkeys(filter(None, (iteration.plan.suggestion, *fixes))))
    about = [one for one in advice if terms_of(one) & terms_of(check)]
    return about[0] if about else advice[0] if len(advice) == 1 and not iteration.plan.feedback[1:] else ""
