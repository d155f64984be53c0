"""Measure whether a learned entry helps (uplift), from runs with it and held-out runs; decide the holdout rate."""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from math import sqrt
from typing import TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass

from .thresholds import MIN_DIFFERENCE, MIN_RUNS, USUAL_RUNS

UNSEEN_MEAN, UNSEEN_VARIANCE = 1 / 2, 1 / 12  # of a share of no runs, by the formulas of a uniform one

CERTAIN_DEVIATIONS = 1.96  # standard deviations of a 95 % two-sided interval
CONFIRMED_HOLDOUT_SHARE = 0.5  # of the usual rate, until a run was without the entry (measured: CURVES.md)


@dataclass(frozen=True, slots=True)
class EntryOutcome:
    """One run in which an entry was eligible: shown to this model or held out, and how the first attempt went.

    ``blamed``: a finding is about the entry's subject, whether it was shown or not.
    """

    run: str
    model: str
    shown: bool
    passed: bool
    blamed: bool = False


Criterion: TypeAlias = Callable[[EntryOutcome], bool]


@dataclass(frozen=True, slots=True)
class Uplift:
    """How much more often a first attempt passes with an entry than without it: the mean and a 95 % interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Counts:
    """How often an entry was shown, helped, harmed and was held out."""

    shown: int = 0
    helpful: int = 0
    harmful: int = 0
    withheld: int = 0


def count_outcomes(uses: Sequence[EntryOutcome]) -> Counts:
    """Count outcomes: a shown entry helped if the first attempt passed, and harmed if a finding is about it."""
    outcomes = [use for use in uses if use.shown]
    return Counts(
        shown=len(outcomes),
        helpful=sum(use.passed for use in outcomes),
        harmful=sum(use.blamed and not use.passed for use in outcomes),
        withheld=len(uses) - len(outcomes),
    )


def count_by_model(uses: Sequence[EntryOutcome]) -> Mapping[str, Counts]:
    """Return the counts for each model that the entry was shown to."""
    models = dict.fromkeys(use.model for use in uses)
    return {model: count_outcomes([use for use in uses if use.model == model]) for model in models}


def pass_rates(uses: Sequence[EntryOutcome]) -> Mapping[str, tuple[int, int]]:
    """Return how many first attempts passed, out of how many, with the entry and without it."""
    sides = {
        "with": [use.passed for use in uses if use.shown],
        "without": [use.passed for use in uses if not use.shown],
    }
    return {name: (sum(passed), len(passed)) for name, passed in sides.items()}


def count_successes(uses: Sequence[EntryOutcome], good: Criterion, *, shown: bool) -> tuple[int, int]:
    """Return how many outcomes are good, out of how many, with the entry or without it."""
    some = [good(use) for use in uses if use.shown is shown]
    return sum(some), len(some)


def passed_first(use: EntryOutcome) -> bool:
    """Return whether the first attempt was good enough."""
    return use.passed


def not_blamed(use: EntryOutcome) -> bool:
    """Return whether no finding was about the entry's subject."""
    return use.passed or not use.blamed


def estimate_uplift(uses: Sequence[EntryOutcome], usual: float, good: Criterion = passed_first) -> Uplift:
    """Compare runs with an entry to runs without it; ``usual`` is the usual share of runs that go well."""
    with_it = estimate_share(*count_successes(uses, good, shown=True), usual)
    without = estimate_share(*count_successes(uses, good, shown=False), usual)
    mean = with_it[0] - without[0]
    spread = CERTAIN_DEVIATIONS * sqrt(with_it[1] + without[1])
    return Uplift(mean, max(-1.0, mean - spread), min(1.0, mean + spread))


def estimate_share(passed: float, total: float, usual: float) -> tuple[float, float]:
    """Return the mean and the variance of a share, assuming a few runs at the usual rate.

    Without any run nothing is known: every share is equally likely, whatever is usual.
    """
    if not total:
        return UNSEEN_MEAN, UNSEEN_VARIANCE
    good, size = passed + USUAL_RUNS * usual, total + USUAL_RUNS
    mean = good / size
    return mean, mean * (1 - mean) / (size + 1)


def estimate_utility(uses: Sequence[EntryOutcome], base: float) -> float:
    """Return what an entry is worth, 0.0 to 1.0: harm weighs more than help, and ``base`` counts before any outcome."""
    known = count_outcomes(uses)
    return (known.helpful + 2 * base) / (known.helpful + 1.5 * known.harmful + 2)


def is_harmful(uses: Sequence[EntryOutcome], usual: float) -> bool:
    """Return whether held-out runs rule out that an entry helps."""
    known = count_outcomes(uses)
    if min(known.shown, known.withheld) < MIN_RUNS:
        return False
    return estimate_uplift(uses, usual, not_blamed).high < 0 or estimate_uplift(uses, usual).high < 0


def is_idle(uses: Sequence[EntryOutcome], usual: float) -> bool:
    """Return whether an entry was shown and held out often enough to see that it makes no difference."""
    known = count_outcomes(uses)
    if min(known.shown, known.withheld) < MIN_RUNS:
        return False
    return (
        estimate_uplift(uses, usual).high < MIN_DIFFERENCE
        and estimate_uplift(uses, usual, not_blamed).high < MIN_DIFFERENCE
    )


def proves_uplift(uses: Sequence[EntryOutcome], usual: float) -> bool:
    """Return whether held-out runs show that first attempts pass more often with an entry."""
    known = count_outcomes(uses)
    return min(known.shown, known.withheld) >= MIN_RUNS and estimate_uplift(uses, usual).low > 0


def holdout_rate(known: Counts, share: float, *, proved: bool) -> float:
    """Return the share of runs to hold an entry out of, which falls with the number of held-out runs.

    One that is not ``proved`` yet is held out more often while it was hardly shown.
    """
    sure = share * CONFIRMED_HOLDOUT_SHARE / (1 + known.withheld)
    return sure if proved else max(sure, share / 4, share * 4 / (4 + known.shown))


def random_share(run: str, entry: str) -> float:
    """Return a number from 0.0 to 1.0 that depends only on the run and the entry."""
    return int.from_bytes(blake2b(f"{run}\0{entry}".encode(), digest_size=7).digest(), "big") / 2**56
