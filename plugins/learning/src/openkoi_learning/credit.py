"""Measure whether an entry helps, from outcomes with it and without it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import sqrt
from typing import TypeAlias

FADING = 0.94
PRIOR = 3.0
CERTAIN = 1.96
SUSPECT = 1.28
LEAST = 3
PATIENCE = 24
DOUBTFUL, HALF = 0.7, 0.5
LITTLE = 0.1
SIDES = {"with": True, "without": False}


@dataclass(frozen=True, slots=True)
class Use:
    """One run in which an entry was eligible: shown to this model or withheld, and how the first attempt went.

    ``blamed``: something was found wrong that the entry is about, whether it was shown or not.
    """

    run: str
    model: str
    shown: bool
    passed: bool
    blamed: bool = False


Outcome: TypeAlias = Callable[[Use], bool]


@dataclass(frozen=True, slots=True)
class Lift:
    """How much more often a first attempt passes with an entry than without it."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Counts:
    """What happened with an entry."""

    shown: int = 0
    helpful: int = 0
    harmful: int = 0
    withheld: int = 0


def counts(uses: Sequence[Use]) -> Counts:
    """Count: a shown entry helped when the first attempt passed, and harmed when the fault was its subject."""
    shown = [use for use in uses if use.shown]
    return Counts(
        shown=len(shown),
        helpful=sum(use.passed for use in shown),
        harmful=sum(use.blamed and not use.passed for use in shown),
        withheld=len(uses) - len(shown),
    )


def by_model(uses: Sequence[Use]) -> Mapping[str, Counts]:
    """The counts of each model that it was shown to."""
    models = dict.fromkeys(use.model for use in uses)
    return {model: counts([use for use in uses if use.model == model]) for model in models}


def by_shown(uses: Sequence[Use]) -> Mapping[str, tuple[int, int]]:
    """How many first attempts passed, of how many: with it and without."""
    sides = {
        "with": [use.passed for use in uses if use.shown],
        "without": [use.passed for use in uses if not use.shown],
    }
    return {name: (sum(passed), len(passed)) for name, passed in sides.items()}


def decayed_successes(uses: Sequence[Use], good: Outcome, *, shown: bool) -> tuple[float, float]:
    """Return the weighted successes and total; the newest counts as one."""
    well = total = 0.0
    for use in uses:
        if use.shown is shown:
            well = well * FADING + good(use)
            total = total * FADING + 1
    return well, total


def first_passed(use: Use) -> bool:
    """Whether the first attempt was good enough."""
    return use.passed


def not_blamed(use: Use) -> bool:
    """Whether nothing was wrong with what the entry is about."""
    return use.passed or not use.blamed


def lift(uses: Sequence[Use], usual: float, good: Outcome = first_passed) -> Lift:
    """Compare runs with an entry to runs without it; ``usual`` is how often it goes well as a rule."""
    with_it = estimate(*decayed_successes(uses, good, shown=True), usual)
    without = estimate(*decayed_successes(uses, good, shown=False), usual)
    mean = with_it[0] - without[0]
    spread = CERTAIN * sqrt(with_it[1] + without[1])
    return Lift(mean, max(-1.0, mean - spread), min(1.0, mean + spread))


def estimate(passed: float, total: float, usual: float) -> tuple[float, float]:
    """The mean and the variance of a share, when a few runs as usual are assumed."""
    good, size = passed + PRIOR * usual, total + PRIOR
    mean = good / size
    return mean, mean * (1 - mean) / (size + 1)


def utility(uses: Sequence[Use], base: float) -> float:
    """What an entry is worth, 0.0 to 1.0: harm weighs more than help, and before any outcome it is its base."""
    helpful = harmful = 0.0
    for use in (one for one in uses if one.shown):
        helpful = helpful * FADING + use.passed
        harmful = harmful * FADING + (use.blamed and not use.passed)
    return (helpful + 2 * base) / (helpful + 1.5 * harmful + 2)


def harmful(uses: Sequence[Use], usual: float) -> bool:
    """Whether it is time to keep an entry from doing harm: to what it is about, or to the whole."""
    shown = [use for use in uses if use.shown]
    if len(shown) < LEAST or shown[-1].passed:
        return False
    well, total = decayed_successes(uses, not_blamed, shown=True)
    if not any(map(not_blamed, shown[-LEAST:])) or (total >= LEAST and well / total < HALF):
        return True
    return worse(lift(uses, usual, not_blamed), SUSPECT) or (
        len(shown) >= 2 * LEAST and worse(lift(uses, usual), CERTAIN)
    )


def worse(found: Lift, certainty: float) -> bool:
    """Whether a lift is below zero by so many of its standard deviations."""
    return found.mean + certainty * (found.high - found.low) / 2 / CERTAIN < 0


def idle(uses: Sequence[Use], usual: float) -> bool:
    """Whether an entry was shown and withheld often enough to tell that it makes no difference."""
    known = counts(uses)
    if known.shown < PATIENCE or known.withheld < LEAST:
        return False
    return lift(uses, usual).high < LITTLE and lift(uses, usual, not_blamed).high < LITTLE


def proves_uplift(uses: Sequence[Use], usual: float) -> bool:
    """Whether held-out runs show that first attempts pass more often with an entry."""
    known = counts(uses)
    return min(known.shown, known.withheld) >= LEAST and lift(uses, usual).low > 0


def doubtful(uses: Sequence[Use]) -> bool:
    """Whether something is wrong too often with what an entry is about, although it was shown."""
    well, total = decayed_successes(uses, not_blamed, shown=True)
    return total >= 1 and well / total < DOUBTFUL


def share_withheld(uses: Sequence[Use], share: float, *, doubted: bool, opinion: bool = False) -> float:
    """Return the share of runs from which an entry is withheld to measure it: the better known, the fewer.

    Only these runs can prove an opinion, so it is withheld until there are enough of them.
    """
    if doubted:
        return min(0.5, share * 4)
    shown = sum(use.shown for use in uses)
    if opinion and len(uses) - shown < LEAST:
        return share / 2
    return max(share / 10, share * 4 / (4 + shown))


def drawn(run: str, entry: str) -> float:
    """A number from 0.0 to 1.0 that is the same whenever the same run asks for the same entry."""
    return int.from_bytes(blake2b(f"{run}\0{entry}".encode(), digest_size=7).digest(), "big") / 2**56
