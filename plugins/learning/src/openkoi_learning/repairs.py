"""Learn from findings that are fixed in the next iteration."""

from collections.abc import Iterator, Sequence

from openkoi_hookspecs import Evaluation, Finding, LearningStatus

from .entry import LearningEntry, Trust, shorten
from .evidence import IterationStep, evaluated_steps, followed_sentences, is_verified, own_checks
from .lesson import Lesson, make_entry, make_evidence
from .text_similarity import stem_terms, word_overlap

MIN_TITLE_SIMILARITY = 0.5  # share of common words (estimate)
VERIFIED_WORTH, OPINION_WORTH = 0.8, 0.6  # before any outcome (estimates)


def find_repairs(lesson: Lesson) -> Iterator[LearningEntry]:
    """Yield lessons from findings that are gone after their fix, while nothing else broke."""
    for number, step in evaluated_steps(lesson.result.iterations):
        if step.broken_checks or not (step.fixed_checks or step.score_gain > 0):
            continue
        for finding in findings_of(step.old):
            if is_gone(finding, step):
                yield from learn_from_fix(lesson, number, finding, step)


def learn_from_fix(lesson: Lesson, number: int, finding: Finding, step: IterationStep) -> Iterator[LearningEntry]:
    """Yield a rule if the fix was verified, else an opinion."""
    proof, sure = make_evidence(lesson, number, finding, step), is_verified(finding, step)
    if sure and (how := followed_sentences(finding.fix, step.changed_text) or find_fixing_line(finding, step)):
        title = finding.title if followed_sentences(finding.fix, step.changed_text) else check_of(finding, step.old)
        facts = {
            "advice": shorten(how),
            "standing": LearningStatus.ACTIVE,
            "trust": Trust.CHECK,
            "base": VERIFIED_WORTH,
        }
        yield make_entry(lesson, "heuristic", f"{title}: {how}" if title else how, proof, **facts)
    elif not step.new.unavailable_reason and (how := finding.fix or find_fixing_line(finding, step)):
        text = f"{finding.title}: {how}" if finding.title else how
        yield make_entry(lesson, "heuristic", text, proof, advice=shorten(how), base=OPINION_WORTH)


def check_of(finding: Finding, judged: Evaluation) -> str:
    """Return the name of what verifies a finding: its check, or the rule that a checker printed."""
    return min(own_checks(finding, judged), default=finding.rule)


def findings_of(judged: Evaluation) -> Sequence[Finding]:
    """Return the findings, or else the suggestion."""
    return judged.open or ((Finding("", fix=judged.suggestion),) if judged.suggestion else ())


def is_gone(finding: Finding, step: IterationStep) -> bool:
    """Return whether a finding is gone, however it was worded."""
    return not still_open(finding, step.old.open, step.new.open) and not may_be_reworded(finding, step)


def still_open(finding: Finding, before: Sequence[Finding], after: Sequence[Finding]) -> bool:
    """Return whether a finding remains, in whatever words.

    It is identified by its rule and file, unless that rule found several things at once; then by its title.
    """
    alone = finding.rule and sum(one.key[:2] == finding.key[:2] for one in before) == 1
    if alone:
        return any(one.key[:2] == finding.key[:2] for one in after)
    return any(word_overlap(one.title, finding.title) >= MIN_TITLE_SIMILARITY for one in after)


def may_be_reworded(finding: Finding, step: IterationStep) -> bool:
    """Return whether a finding may persist in other words, as one that looks new."""
    if finding.rule and sum(one.key[:2] == finding.key[:2] for one in step.old.open) == 1:
        return False
    if any(stem_terms(check) & stem_terms(finding_text(finding)) for check in step.old.failing - step.new.failing):
        return False
    known = [one for one in step.old.open if one is not finding]
    return any(not any(is_same_finding(one, found) for one in known) for found in step.new.open)


def is_same_finding(known: Finding, found: Finding) -> bool:
    """Return whether two findings are the same, as far as rules and words can show."""
    return (known.rule and known.rule == found.rule) or word_overlap(
        finding_text(known), finding_text(found)
    ) >= MIN_TITLE_SIMILARITY


def finding_text(finding: Finding) -> str:
    """Return everything a finding says."""
    return f"{finding.title} {finding.detail} {finding.fix}"


def find_fixing_line(finding: Finding, step: IterationStep) -> str:
    """Return the added line that a finding is about, or the only added line."""
    lines, words = step.added_lines, stem_terms(f"{finding.title} {finding.detail} {finding.rule}")
    best = max(lines, key=lambda line: len(stem_terms(line) & words), default="")
    related = best and (len(lines) == 1 or stem_terms(best) & words)
    return f"fixed by `{shorten(best, 80)}`" if related else ""
