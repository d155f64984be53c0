"""Make one judgement of one vote or several. Knows scores and findings; knows no models.

What a finding does to its dimension's score: a blocker caps it at 0.3; important ones cap it at 0.9, 0.8 and from the
third on 0.7; a suggestion does nothing. A score that is lower already stays as it is.
"""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from openkoi_hookspecs import Evaluation, EvaluationMode, Finding, Limits, Severity
from openkoi_skillfile import Rubric

from .verdict import Verdict

BLOCKED = 0.3
IMPORTANT = 0.1
LOWEST = 0.7


def capped(verdict: Verdict, rubric: Rubric) -> Verdict:
    """Hold the scores to what the findings allow."""
    scores = tuple(
        replace(s, value=min(s.value, ceiling(verdict.findings, rubric.rule(s.dimension)))) for s in verdict.scores
    )
    return replace(verdict, scores=scores)


def lowered(verdict: Verdict, lenient: float) -> Verdict:
    """Take off what the scores are too high."""
    if not lenient:
        return verdict
    return replace(verdict, scores=tuple(replace(s, value=max(0.0, s.value - lenient)) for s in verdict.scores))


def ceiling(findings: Sequence[Finding], rule: str) -> float:
    """The most that a dimension can be worth with these findings."""
    own = [finding.severity for finding in findings if finding.rule == rule]
    if Severity.BLOCKER in own:
        return BLOCKED
    return max(LOWEST, 1 - IMPORTANT * own.count(Severity.IMPORTANT))


def judged(verdict: Verdict, mode: EvaluationMode = EvaluationMode.FULL) -> Evaluation:
    """Return the verdict as an evaluation."""
    return Evaluation(scores=verdict.scores, findings=verdict.findings, suggestion=verdict.suggestion, mode=mode)


def composite(verdict: Verdict, known: Evaluation | None) -> float:
    """What the work scores with what the checks said: a failing one caps it."""
    return Evaluation(checks=known.checks if known else (), scores=verdict.scores).score or 0.0


def close(score: float, limits: Limits, band: float) -> bool:
    """Whether noise could carry a score over the threshold, either way."""
    return abs(score - limits.quality_threshold) <= band + 1e-9


def agreed(votes: Sequence[Verdict], rubric: Rubric) -> Verdict:
    """Take the median of each dimension, the findings of the median vote, and the blockers that two of them share."""
    middle = sorted(votes, key=total)[len(votes) // 2]
    scores = tuple(
        replace(same[0], value=median(score.value for score in same))
        for same in zip(*(v.scores for v in votes), strict=True)
    )
    found = (*middle.findings, *shared(votes, middle))
    return capped(replace(middle, scores=scores, findings=found, votes=len(votes)), rubric)


def total(verdict: Verdict) -> float:
    """The weighted mean of a vote."""
    weight = sum(score.weight for score in verdict.scores)
    return sum(score.value * score.weight for score in verdict.scores) / weight if weight else 0.0


def shared(votes: Sequence[Verdict], middle: Verdict) -> list[Finding]:
    """Blockers that two votes see and the median one does not, each once."""
    found = [blocker for blocker in middle.findings if blocker.severity is Severity.BLOCKER]
    known = len(found)
    for vote in votes:
        others = [finding for other in votes if other is not vote for finding in other.findings]
        found += [b for b in vote.findings if seen(b, others) and not seen(b, found)]
    return found[known:]


def seen(finding: Finding, others: Sequence[Finding]) -> bool:
    """Whether a blocker is among others: the same rule, in the same file as far as both name one."""
    return finding.severity is Severity.BLOCKER and any(
        other.severity is Severity.BLOCKER and other.rule == finding.rule and meet(finding, other) for other in others
    )


def meet(one: Finding, other: Finding) -> bool:
    """Whether two findings may be about the same file."""
    return not one.where or not other.where or one.key[1] == other.key[1]
