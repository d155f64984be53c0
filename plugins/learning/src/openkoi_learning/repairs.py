"""Learn from findings that are fixed in the next iteration."""

from collections.abc import Iterator, Sequence

from openkoi_hookspecs import Evaluation, Finding, LearningStatus

from .entry import LearningEntry, Trust, short
from .evidence import IterationStep, followed_sentences, is_verified, own_checks, steps
from .lesson import Lesson, make_entry, proof_of
from .words import alike, terms

SAME_TITLE = 0.5
VERIFIED, OPINION = 0.8, 0.6


def repairs(lesson: Lesson) -> Iterator[LearningEntry]:
    """Findings that are gone after their fix, while nothing else broke."""
    for number, step in steps(lesson.result.iterations):
        if step.broken or not (step.fixed_checks or step.score_gain > 0):
            continue
        for finding in found_in(step.old):
            if is_gone(finding, step):
                yield from learn_from_fix(lesson, number, finding, step)


def learn_from_fix(lesson: Lesson, number: int, finding: Finding, step: IterationStep) -> Iterator[LearningEntry]:
    """Yield a rule if the fix was verified, else an opinion."""
    proof, sure = proof_of(lesson, number, finding, step), is_verified(finding, step)
    if sure and (how := followed_sentences(finding.fix, step.written) or fixing_line(finding, step)):
        title = finding.title if followed_sentences(finding.fix, step.written) else check_of(finding, step.old)
        facts = {"advice": short(how), "standing": LearningStatus.ACTIVE, "trust": Trust.CHECK, "base": VERIFIED}
        yield make_entry(lesson, "heuristic", f"{title}: {how}" if title else how, proof, **facts)
    elif not step.new.unavailable_reason and (how := finding.fix or fixing_line(finding, step)):
        text = f"{finding.title}: {how}" if finding.title else how
        yield make_entry(lesson, "heuristic", text, proof, advice=short(how), base=OPINION)


def check_of(finding: Finding, judged: Evaluation) -> str:
    """Return the name of what verifies a finding: its check, or the rule that a checker printed."""
    return min(own_checks(finding, judged), default=finding.rule)


def found_in(judged: Evaluation) -> Sequence[Finding]:
    """What was found wrong; where nothing was, what was suggested instead."""
    return judged.open or ((Finding("", fix=judged.suggestion),) if judged.suggestion else ())


def is_gone(finding: Finding, step: IterationStep) -> bool:
    """Whether a finding is gone, however it was worded."""
    return not still_open(finding, step.old.open, step.new.open) and not may_be_reworded(finding, step)


def still_open(finding: Finding, before: Sequence[Finding], after: Sequence[Finding]) -> bool:
    """Whether a finding is there again, in whatever words.

    It is known by its rule and file, unless several things were found by that rule at once; then by its title.
    """
    alone = finding.rule and sum(one.key[:2] == finding.key[:2] for one in before) == 1
    if alone:
        return any(one.key[:2] == finding.key[:2] for one in after)
    return any(alike(one.title, finding.title) >= SAME_TITLE for one in after)


def may_be_reworded(finding: Finding, step: IterationStep) -> bool:
    """Return whether a finding may persist in other words, as one that looks new."""
    if finding.rule and sum(one.key[:2] == finding.key[:2] for one in step.old.open) == 1:
        return False
    if any(terms(check) & terms(finding_text(finding)) for check in step.old.failing - step.new.failing):
        return False
    known = [one for one in step.old.open if one is not finding]
    return any(not any(alike_enough(one, found) for one in known) for found in step.new.open)


def alike_enough(known: Finding, found: Finding) -> bool:
    """Whether two findings are one, as far as rules and words can tell."""
    return (known.rule and known.rule == found.rule) or alike(finding_text(known), finding_text(found)) >= SAME_TITLE


def finding_text(finding: Finding) -> str:
    """Return everything a finding says."""
    return f"{finding.title} {finding.detail} {finding.fix}"


def fixing_line(finding: Finding, step: IterationStep) -> str:
    """What an iteration wrote that the one before it had not: the line that a finding speaks of, or the only one."""
    lines, words = step.added_lines, terms(f"{finding.title} {finding.detail} {finding.rule}")
    best = max(lines, key=lambda line: len(terms(line) & words), default="")
    told = best and (len(lines) == 1 or terms(best) & words)
    return f"fixed by `{short(best, 80)}`" if told else ""
