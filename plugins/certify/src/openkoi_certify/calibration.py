"""How scores relate to what became of the work. Pure: knows judgements; knows no log and no terminal."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from statistics import fmean, pstdev

from .history import CalibratedJudgment, UserOutcome
from .measures import QUALITY

FEW = 10
SURE = 1.96
BINS = 5
BAD = (UserOutcome.UNDONE, UserOutcome.CORRECTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What is known of one rubric with one model.

    ``histogram`` counts scores by fifths. ``spread`` is the deviation of votes for one work, ``stability`` that of the
    scores of equal tasks. ``drift`` is how far the newer half of the scores lies above the older one, beyond noise.
    ``separation`` is how often work that was kept had the higher score than work that was not: 0.5 is chance.
    ``checks`` is how often the judgement and the checks agree. ``weights`` are such as would have told best.
    """

    rubric: str
    model: str
    count: int
    mean: float
    deviation: float
    histogram: tuple[int, ...]
    outcomes: Mapping[str, tuple[int, float]]
    spread: float | None
    stability: float | None
    drift: float
    separation: float | None
    checks: float | None
    weights: Mapping[str, float]

    @property
    def alarms(self) -> tuple[str, ...]:
        """What a person should look at."""
        found = []
        if self.drift:
            found.append(f"its scores have moved by {self.drift:+.2f} beyond noise; certify it again")
        if self.separation is not None and self.separation < 0.6:
            found.append(f"undone work scored as high as kept work ({self.separation:.2f})")
        if self.checks is not None and self.checks < 0.7:
            found.append(f"it agrees with the checks only {self.checks:.0%} of the time")
        return tuple(found)


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """All calibrations, and how far two rubrics that judged the same run lie apart on average."""

    calibrations: tuple[Calibration, ...]
    apart: Mapping[str, float]


def report_of(judgements: Sequence[CalibratedJudgment]) -> CalibrationReport:
    """Report on each rubric and model."""
    groups: dict[tuple[str, str], list[CalibratedJudgment]] = defaultdict(list)
    for judgement in judgements:
        groups[judgement.rubric, judgement.model].append(judgement)
    return CalibrationReport(
        tuple(calibration(*names, some) for names, some in sorted(groups.items())), apart(judgements)
    )


def calibration(rubric: str, model: str, some: Sequence[CalibratedJudgment]) -> Calibration:
    """One rubric with one model."""
    scores = [one.score for one in some]
    return Calibration(
        rubric=rubric,
        model=model,
        count=len(some),
        mean=fmean(scores),
        deviation=pstdev(scores),
        histogram=tuple(sum(min(int(score * BINS), BINS - 1) == n for score in scores) for n in range(BINS)),
        outcomes={outcome: tally(some, outcome) for outcome in UserOutcome if tally(some, outcome)[0]},
        spread=within(one.totals for one in some),
        stability=within(by_task(some).values()),
        drift=drift(scores),
        separation=separation(some),
        checks=checks(some),
        weights=weights(some),
    )


def tally(some: Sequence[CalibratedJudgment], outcome: UserOutcome) -> tuple[int, float]:
    """How many ended so, and their mean score."""
    scores = [one.score for one in some if one.outcome is outcome]
    return len(scores), fmean(scores) if scores else 0.0


def within(groups: Iterable[Sequence[float]]) -> float | None:
    """The deviation within groups of two or more."""
    several = [group for group in groups if len(group) > 1]
    return sqrt(fmean(pstdev(group) ** 2 * len(group) / (len(group) - 1) for group in several)) if several else None


def by_task(some: Sequence[CalibratedJudgment]) -> Mapping[str, list[float]]:
    """Scores of tasks that are worded alike."""
    groups: dict[str, list[float]] = defaultdict(list)
    for one in some:
        groups[" ".join(one.task.casefold().split())].append(one.score)
    return groups


def drift(scores: Sequence[float]) -> float:
    """How much higher the newer half is, beyond noise; nought where there are few."""
    if len(scores) < FEW:
        return 0.0
    old, new = scores[: len(scores) // 2], scores[len(scores) // 2 :]
    moved = fmean(new) - fmean(old)
    error = SURE * sqrt(pstdev(old) ** 2 / (len(old) - 1) + pstdev(new) ** 2 / (len(new) - 1))
    return 0.0 if abs(moved) <= error else moved - error if moved > 0 else moved + error


def separation(some: Sequence[CalibratedJudgment]) -> float | None:
    """How often kept work scored higher than work that was not kept; a tie counts half."""
    kept = [one.score for one in some if one.outcome is UserOutcome.KEPT]
    lost = [one.score for one in some if one.outcome in BAD]
    if not (kept and lost):
        return None
    return fmean((good > bad) + (good == bad) / 2 for good in kept for bad in lost)


def checks(some: Sequence[CalibratedJudgment]) -> float | None:
    """How often a score on the good side meets green checks, and one on the bad side red ones."""
    known = [(one.score >= QUALITY) is one.green for one in some if one.green is not None]
    return fmean(map(float, known)) if known else None


def weights(some: Sequence[CalibratedJudgment]) -> Mapping[str, float]:
    """Weights in proportion to how much higher each dimension was in kept work; none where there is too little."""
    kept = [one.dimensions for one in some if one.outcome is UserOutcome.KEPT]
    lost = [one.dimensions for one in some if one.outcome in BAD]
    if min(len(kept), len(lost)) < FEW:
        return {}
    names = [name for name in some[-1].weights if all(name in one for one in (*kept, *lost))]
    gains = {name: max(0.0, fmean(one[name] for one in kept) - fmean(one[name] for one in lost)) for name in names}
    whole = sum(gains.values())
    return {name: round(gain / whole, 2) for name, gain in gains.items()} if whole else {}


def apart(judgements: Sequence[CalibratedJudgment]) -> Mapping[str, float]:
    """The mean distance of two rubrics' scores for the same run, by their names."""
    runs: dict[str, list[CalibratedJudgment]] = defaultdict(list)
    for one in judgements:
        runs[one.run].append(one)
    distances: dict[str, list[float]] = defaultdict(list)
    for some in runs.values():
        for one, other in combinations(sorted(some, key=lambda j: j.rubric), 2):
            distances[f"{one.rubric} / {other.rubric}"].append(abs(one.score - other.score))
    return {pair: fmean(several) for pair, several in distances.items()}
