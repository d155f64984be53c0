"""Merge the opinions of several evaluators into one. Pure: only judges score, checks gate."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from openkoi_hookspecs import Evaluation, Finding, Mode, Severity

from ..facts import misfit

SEVERITIES = tuple(Severity)
MODES = tuple(Mode)
NOT_A_JUDGE = (
    "Ignored the score of evaluator {name}: it does not declare `judges = True`. Checks and findings need no score."
)
HOOK_SCORE = "it adds or raises the score of {name}; only judges score"


def merge(said: Mapping[str, Evaluation], judges: Collection[str], silent: Sequence[str] = ()) -> Evaluation:
    """One evaluation of many, by the evaluators' names.

    Where a judge that was asked has no opinion the score is unknown; what other evaluators could not tell is missing.
    ``silent`` says which required evaluators have none: that counts as both. The mode is that of the opinion which
    skipped most.
    """
    known = [opinion for opinion in said.values() if not opinion.unknown]
    reasons = dict.fromkeys((*silent, *(one.unknown for name, one in said.items() if name in judges and one.unknown)))
    missing = [one.unknown for name, one in said.items() if name not in judges and one.unknown]
    return Evaluation(
        checks=tuple(
            replace(check, evaluator=name) for name, one in said.items() if not one.unknown for check in one.checks
        ),
        scores=tuple(score for opinion in known for score in opinion.scores),
        findings=distinct(finding for opinion in said.values() for finding in opinion.findings),
        mode=max((opinion.mode for opinion in known), key=MODES.index, default=Mode.FULL),
        unknown="; ".join(reasons),
        missing=(*silent, *missing, *(why for opinion in known for why in opinion.missing)),
        suggestion=" ".join(opinion.suggestion for opinion in known if opinion.suggestion),
        log="\n".join(opinion.log for opinion in known if opinion.log),
    )


def distinct(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Of equal findings keep the severest, in the place of the first."""
    kept: dict[tuple[str, str, str], Finding] = {}
    for finding in findings:
        same = (finding.rule, finding.where, finding.title)
        before = kept.get(same)
        if before is None or SEVERITIES.index(finding.severity) < SEVERITIES.index(before.severity):
            kept[same] = finding
    return tuple(kept.values())


def sound(opinion: Evaluation) -> Evaluation:
    """Return the opinion; raises ValueError for what is not an evaluation, and for scores out of range."""
    if wrong := misfit(opinion, Evaluation):
        raise ValueError(f"it is not an evaluation: {wrong}")
    for score in opinion.scores:
        if not (0 <= score.value <= 1 and 0 <= score.weight < math.inf):
            raise ValueError(f"{score.dimension} is scored {score.value} with weight {score.weight}")
    return opinion


def without_scores(opinion: Evaluation) -> Evaluation:
    """The same opinion with checks and findings only."""
    return replace(opinion, scores=())


def without_new_scores(folded: Evaluation, given: Evaluation) -> Evaluation:
    """What a hook made of an evaluation; raises ValueError where it adds a score or raises one."""
    before = {score.dimension: score for score in given.scores}
    if given.unknown and not folded.unknown:
        raise ValueError("it hides that a judge gave no score")
    for score in folded.scores:
        old = before.get(score.dimension)
        if old is None or score.value > old.value or score.weight != old.weight:
            raise ValueError(HOOK_SCORE.format(name=score.dimension))
    return folded
