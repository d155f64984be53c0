"""Aggregate the votes of judges into one score, and cap scores by findings.

A blocker caps its dimension at 0.3; important findings cap it at 0.9, 0.8 and 0.7. Suggestions have no effect, and a
lower score stays as it is.
"""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from openkoi_base.skillfile.evaluator import Rubric
from openkoi_hookspecs import Evaluation, EvaluationMode, Finding, Limits, Severity

from .verdict import JudgeVerdict

BLOCKER_CAP = 0.3  # maximum score of a dimension with a blocker (EVAL-07)
IMPORTANT_PENALTY = 0.1  # how much each important finding lowers the maximum score (EVAL-07)
MIN_IMPORTANT_CAP = 0.7  # important findings lower the maximum score no further (EVAL-07)


def cap_scores(verdict: JudgeVerdict, rubric: Rubric) -> JudgeVerdict:
    """Cap the scores by the findings."""
    scores = tuple(
        replace(s, value=min(s.value, score_cap(verdict.findings, rubric.rule(s.dimension)))) for s in verdict.scores
    )
    return replace(verdict, scores=scores)


def lower_scores(verdict: JudgeVerdict, lenient: float) -> JudgeVerdict:
    """Reduce the scores by a judge's leniency."""
    if not lenient:
        return verdict
    return replace(verdict, scores=tuple(replace(s, value=max(0.0, s.value - lenient)) for s in verdict.scores))


def score_cap(findings: Sequence[Finding], rule: str) -> float:
    """Return the maximum score of a dimension with these findings."""
    own = [finding.severity for finding in findings if finding.rule == rule]
    if Severity.BLOCKER in own:
        return BLOCKER_CAP
    return max(MIN_IMPORTANT_CAP, 1 - IMPORTANT_PENALTY * own.count(Severity.IMPORTANT))


def to_evaluation(verdict: JudgeVerdict, mode: EvaluationMode = EvaluationMode.FULL) -> Evaluation:
    """Return the verdict as an evaluation."""
    return Evaluation(scores=verdict.scores, findings=verdict.findings, suggestion=verdict.suggestion, mode=mode)


def combined_score(verdict: JudgeVerdict, known: Evaluation | None) -> float:
    """Return the score with the checks, which cap it when they fail."""
    return Evaluation(checks=known.checks if known else (), scores=verdict.scores).score or 0.0


def is_close(score: float, limits: Limits, band: float) -> bool:
    """Return whether noise could move a score across the threshold."""
    return abs(score - limits.quality_threshold) <= band + 1e-9


def aggregate_votes(votes: Sequence[JudgeVerdict], rubric: Rubric) -> JudgeVerdict:
    """Return the median of each dimension, the findings of the median vote, and blockers that two votes share."""
    middle = sorted(votes, key=weighted_mean)[len(votes) // 2]
    scores = tuple(
        replace(same[0], value=median(score.value for score in same))
        for same in zip(*(v.scores for v in votes), strict=True)
    )
    found = (*middle.findings, *shared_blockers(votes, middle))
    return cap_scores(replace(middle, scores=scores, findings=found, votes=len(votes)), rubric)


def weighted_mean(verdict: JudgeVerdict) -> float:
    """Return the weighted mean of a vote."""
    weight = sum(score.weight for score in verdict.scores)
    return sum(score.value * score.weight for score in verdict.scores) / weight if weight else 0.0


def shared_blockers(votes: Sequence[JudgeVerdict], middle: JudgeVerdict) -> list[Finding]:
    """Return the blockers that another vote confirms and the median vote lacks, each once."""
    found = [blocker for blocker in middle.findings if blocker.severity is Severity.BLOCKER]
    known = len(found)
    for vote in votes:
        others = [finding for other in votes if other is not vote for finding in other.findings]
        found += [b for b in vote.findings if is_among(b, others) and not is_among(b, found)]
    return found[known:]


def is_among(finding: Finding, others: Sequence[Finding]) -> bool:
    """Return whether other findings contain a blocker: the same rule, in the same file if both name one."""
    return finding.severity is Severity.BLOCKER and any(
        other.severity is Severity.BLOCKER and other.rule == finding.rule and may_share_file(finding, other)
        for other in others
    )


def may_share_file(one: Finding, other: Finding) -> bool:
    """Return whether two findings may be about the same file."""
    return not one.where or not other.where or one.key[1] == other.key[1]
