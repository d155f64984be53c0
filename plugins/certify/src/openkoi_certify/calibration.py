"""Relate a judge's scores to what the user did with the work."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import sqrt
from statistics import fmean, pstdev

from openkoi_hookspecs.lazy_dataclass import dataclass

from .metrics import QUALITY_THRESHOLD
from .outcomes import CalibratedJudgment, UserOutcome

MIN_JUDGMENTS = 10  # estimate: with fewer judgments, drift and weights are mostly noise
MIN_SEPARATION = 0.6  # estimate: below this, scores hardly separate kept from rejected work; 0.5 is chance
MIN_CHECK_AGREEMENT = 0.7  # estimate: below this, the user is warned
CONFIDENCE_Z = 1.96  # confidence of 95 %, two-sided
BINS = 5
REJECTED_OUTCOMES = (UserOutcome.UNDONE, UserOutcome.CORRECTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The calibration of one rubric with one model.

    ``histogram`` counts scores by fifths. ``spread`` is the standard deviation of the votes on one work, ``stability``
    that of the scores of equal tasks. ``drift`` is how far the newer half of the scores is above the older half, beyond
    noise. ``separation`` is the share of pairs in which kept work scored higher than rejected work: 0.5 is chance.
    ``checks`` is how often score and checks agree. ``weights`` are those that would have separated best.
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
        """What needs the user's attention."""
        found = []
        if self.drift:
            found.append(f"its scores drifted by {self.drift:+.2f}, more than noise explains; certify it again")
        if self.separation is not None and self.separation < MIN_SEPARATION:
            found.append(f"undone work scored about as high as kept work (difference {self.separation:+.2f})")
        if self.checks is not None and self.checks < MIN_CHECK_AGREEMENT:
            found.append(f"it agrees with the checks only {self.checks:.0%} of the time")
        return tuple(found)


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """All calibrations, and the mean distance between two rubrics that judged the same run."""

    calibrations: tuple[Calibration, ...]
    apart: Mapping[str, float]


def build_calibration_report(judgements: Sequence[CalibratedJudgment]) -> CalibrationReport:
    """Calibrate each pair of rubric and model."""
    groups: dict[tuple[str, str], list[CalibratedJudgment]] = defaultdict(list)
    for judgement in judgements:
        groups[judgement.rubric, judgement.model].append(judgement)
    return CalibrationReport(
        tuple(calibrate_rubric(*names, some) for names, some in sorted(groups.items())), measure_distances(judgements)
    )


def calibrate_rubric(rubric: str, model: str, some: Sequence[CalibratedJudgment]) -> Calibration:
    """Calibrate one rubric with one model."""
    scores = [one.score for one in some]
    return Calibration(
        rubric=rubric,
        model=model,
        count=len(some),
        mean=fmean(scores),
        deviation=pstdev(scores),
        histogram=tuple(sum(min(int(score * BINS), BINS - 1) == n for score in scores) for n in range(BINS)),
        outcomes={outcome: count_outcome(some, outcome) for outcome in UserOutcome if count_outcome(some, outcome)[0]},
        spread=measure_deviation(one.totals for one in some),
        stability=measure_deviation(group_by_task(some).values()),
        drift=measure_score_drift(scores),
        separation=measure_separation(some),
        checks=measure_check_agreement(some),
        weights=suggest_weights(some),
    )


def count_outcome(some: Sequence[CalibratedJudgment], outcome: UserOutcome) -> tuple[int, float]:
    """Return the number of judgments with an outcome, and their mean score."""
    scores = [one.score for one in some if one.outcome is outcome]
    return len(scores), fmean(scores) if scores else 0.0


def measure_deviation(groups: Iterable[Sequence[float]]) -> float | None:
    """Return the standard deviation within groups of two or more, or None if there is no such group."""
    several = [group for group in groups if len(group) > 1]
    return sqrt(fmean(pstdev(group) ** 2 * len(group) / (len(group) - 1) for group in several)) if several else None


def group_by_task(some: Sequence[CalibratedJudgment]) -> Mapping[str, list[float]]:
    """Return the scores by task text, ignoring case and spacing."""
    groups: dict[str, list[float]] = defaultdict(list)
    for one in some:
        groups[" ".join(one.task.casefold().split())].append(one.score)
    return groups


def measure_score_drift(scores: Sequence[float]) -> float:
    """Return how much higher the newer half scores, beyond noise; 0 with too few scores."""
    if len(scores) < MIN_JUDGMENTS:
        return 0.0
    old, new = scores[: len(scores) // 2], scores[len(scores) // 2 :]
    moved = fmean(new) - fmean(old)
    error = CONFIDENCE_Z * sqrt(pstdev(old) ** 2 / (len(old) - 1) + pstdev(new) ** 2 / (len(new) - 1))
    return 0.0 if abs(moved) <= error else moved - error if moved > 0 else moved + error


def measure_separation(some: Sequence[CalibratedJudgment]) -> float | None:
    """Return how often kept work scored higher than rejected work; a tie counts half."""
    kept = [one.score for one in some if one.outcome is UserOutcome.KEPT]
    lost = [one.score for one in some if one.outcome in REJECTED_OUTCOMES]
    if not (kept and lost):
        return None
    return fmean((good > bad) + (good == bad) / 2 for good in kept for bad in lost)


def measure_check_agreement(some: Sequence[CalibratedJudgment]) -> float | None:
    """Return how often a score on either side of the threshold agrees with the checks."""
    known = [(one.score >= QUALITY_THRESHOLD) is one.checks_pass for one in some if one.checks_pass is not None]
    return fmean(map(float, known)) if known else None


def suggest_weights(some: Sequence[CalibratedJudgment]) -> Mapping[str, float]:
    """Return weights by how much higher each dimension was in kept work; empty with too few judgments."""
    kept = [one.dimensions for one in some if one.outcome is UserOutcome.KEPT]
    lost = [one.dimensions for one in some if one.outcome in REJECTED_OUTCOMES]
    if min(len(kept), len(lost)) < MIN_JUDGMENTS:
        return {}
    names = [name for name in some[-1].weights if all(name in one for one in (*kept, *lost))]
    gains = {name: max(0.0, fmean(one[name] for one in kept) - fmean(one[name] for one in lost)) for name in names}
    whole = sum(gains.values())
    return {name: round(gain / whole, 2) for name, gain in gains.items()} if whole else {}


def measure_distances(judgements: Sequence[CalibratedJudgment]) -> Mapping[str, float]:
    """Return the mean distance between two rubrics' scores for the same run, by their names."""
    runs: dict[str, list[CalibratedJudgment]] = defaultdict(list)
    for one in judgements:
        runs[one.run].append(one)
    distances: dict[str, list[float]] = defaultdict(list)
    for some in runs.values():
        for one, other in combinations(sorted(some, key=lambda j: j.rubric), 2):
            distances[f"{one.rubric} / {other.rubric}"].append(abs(one.score - other.score))
    return {pair: fmean(several) for pair, several in distances.items()}
