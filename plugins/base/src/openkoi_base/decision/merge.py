"""Merge the evaluations of several evaluators into one, and combine their scores. Pure: only judges score."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from openkoi_base.isolation import type_error_of
from openkoi_hookspecs import Evaluation, EvaluationMode, Finding, Score, Severity

MAX_WEIGHT = 1e6  # with larger weights, rounding would lose small ones in the sum (estimate)
SEVERITIES = tuple(Severity)
OUT_OF_RANGE = (
    "{0.dimension} has score {0.value:g} and weight {0.weight:g}; a score must be 0 to 1, and a weight 0 to 1,000,000"
)
MODES = tuple(EvaluationMode)
NOT_A_JUDGE = (
    "Ignored the score of evaluator {name}: it does not declare `judges = True`. An evaluator that "
    "only reports checks and findings should return no score."
)


def merge(opinions: Mapping[str, Evaluation], judges: Collection[str], silent: Sequence[str] = ()) -> Evaluation:
    """Merge evaluations, by the evaluators' names, into one.

    Where a judge that was asked has no opinion the score is unknown; what other evaluators could not check is missing.
    ``silent`` says which required evaluators have none: that counts as both. The mode is that of the opinion which
    skipped most.
    """
    known = [opinion for opinion in opinions.values() if not opinion.unavailable_reason]
    several = sum(bool(opinion.scores) for opinion in known) > 1
    reasons = dict.fromkeys(
        (
            *silent,
            *(one.unavailable_reason for name, one in opinions.items() if name in judges and one.unavailable_reason),
        )
    )
    missing = [
        one.unavailable_reason for name, one in opinions.items() if name not in judges and one.unavailable_reason
    ]
    return Evaluation(
        checks=tuple(
            replace(check, evaluator=name)
            for name, one in opinions.items()
            if not one.unavailable_reason
            for check in one.checks
        ),
        scores=tuple(score for one in known for score in (normalize_weights(one.scores) if several else one.scores)),
        findings=distinct_findings(
            replace(one, evaluator=name) for name, opinion in opinions.items() for one in opinion.findings
        ),
        mode=max((opinion.mode for opinion in known), key=MODES.index, default=EvaluationMode.FULL),
        unavailable_reason="; ".join(reasons),
        missing=(*silent, *missing, *(why for opinion in known for why in opinion.missing)),
        suggestion=" ".join(opinion.suggestion for opinion in known if opinion.suggestion),
        log="\n".join(opinion.log for opinion in known if opinion.log),
    )


def normalize_weights(scores: Sequence[Score]) -> list[Score]:
    """Return the scores of one judge with weights that sum to one, so that each of several judges counts as much."""
    whole = sum(score.weight for score in scores) or 1.0
    return [replace(score, weight=score.weight / whole) for score in scores]


def distinct_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Keep the severest of equal findings, in the place of the first."""
    kept: dict[tuple[str, str, str], Finding] = {}
    for finding in findings:
        same = (finding.rule, finding.where, finding.title)
        before = kept.get(same)
        if before is None or SEVERITIES.index(finding.severity) < SEVERITIES.index(before.severity):
            kept[same] = finding
    return tuple(kept.values())


def validate_evaluation(opinion: Evaluation) -> Evaluation:
    """Check an evaluator's opinion; raise ValueError if it is not an evaluation, or has scores out of range."""
    if wrong := type_error_of(opinion, Evaluation):
        raise ValueError(f"it is not an evaluation: {wrong}")
    for score in opinion.scores:
        if not (0 <= score.value <= 1 and 0 <= score.weight <= MAX_WEIGHT):
            raise ValueError(OUT_OF_RANGE.format(score))
    return opinion


def without_scores(opinion: Evaluation) -> Evaluation:
    """Return the opinion with only its checks and findings."""
    return replace(opinion, scores=())


def only_stricter(folded: Evaluation, given: Evaluation) -> Evaluation:
    """Return an evaluation that hooks replaced; raise ValueError if it is more lenient than the evaluators'."""
    if given.unavailable_reason and not folded.unavailable_reason:
        raise ValueError("a hook cannot hide that a judge gave no score")
    if lost := [*hidden_failures(folded, given)]:
        raise ValueError(f"a hook cannot remove {', '.join(lost[:3])}")
    if added := sorted(passing_checks(folded) - passing_checks(given)):
        raise ValueError(f"a hook cannot add the passing check {added[0]}")
    if folded.scores and not is_not_higher(folded.scores, given.scores):
        raise ValueError("a hook cannot add, raise or drop individual scores: only judges score")
    return folded


def hidden_failures(folded: Evaluation, given: Evaluation) -> Iterator[str]:
    """Describe the failing checks, blockers and missing checks that were removed."""
    yield from (f"the failing check {name}" for name in sorted(given.failing - folded.failing))
    kept = {finding.key for finding in folded.blockers}
    yield from (f"the blocker {finding.title!r}" for finding in given.blockers if finding.key not in kept)
    yield from (f"the note that a check is missing ({why})" for why in given.missing if why not in folded.missing)


def passing_checks(evaluation: Evaluation) -> frozenset[str]:
    """Return the names of the required checks that pass."""
    return frozenset(check.name for check in evaluation.checks if check.required and check.passed)


def is_not_higher(scores: Sequence[Score], given: Sequence[Score]) -> bool:
    """Return whether these are the same scores, each equal or lower."""
    if [(one.dimension, one.weight) for one in scores] != [(one.dimension, one.weight) for one in given]:
        return False
    return all(one.value <= before.value for one, before in zip(scores, given, strict=True))
