"""Estimate from a project's runs the chance that another iteration pays off, and how reliable the estimate is."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from openkoi_hookspecs import Evaluation, Prospect, events
from openkoi_hookspecs.iteration import NextAction
from openkoi_hookspecs.lazy_dataclass import dataclass

from .thresholds import MIN_ESTIMATES, PLATEAU_DELTA, PRIOR_ITERATIONS

BANDS = 5  # of the score, in which iterations are alike
ESTIMATES = 100  # newest ones, by which reliability is judged
FIRST_ITERATIONS = 2  # that are counted apart from later ones


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a run after an iteration: its number from zero, whether checks fail, and its score."""

    iteration: int
    red: bool
    score: float | None

    @property
    def kind(self) -> tuple[int, bool, int]:
        """The key by which two states are alike."""
        band = -1 if self.score is None else int(min(self.score, 0.999) * BANDS)
        return min(self.iteration, FIRST_ITERATIONS), self.red, band


@dataclass(frozen=True, slots=True)
class NextIteration:
    """The state of a run, and whether the next iteration paid off."""

    before: Standing
    paid: bool


def standing_of(decided: events.DecisionMade) -> Standing:
    """Return the state of a run at a decision."""
    return Standing(decided.iteration, decided.facts.red, decided.facts.judged)


def has_paid(before: Standing, decided: events.DecisionMade) -> bool:
    """Return whether an iteration was accepted, turned green, or raised the score by more than a plateau."""
    after = standing_of(decided)
    gained = after.score is not None and after.score > (before.score or 0.0) + PLATEAU_DELTA
    return decided.decision.action is NextAction.ACCEPT or (before.red and decided.facts.green) or gained


def estimate_chance(known: Sequence[NextIteration], now: Standing) -> float:
    """Return how often the next iteration paid off after similar ones, assuming a few average cases."""
    alike = [one.paid for one in known if one.before.kind == now.kind]
    return blend_shares(sum(alike), len(alike), sum(one.paid for one in known), len(known))


def blend_shares(paid_alike: int, alike: int, paid: int, count: int) -> float:
    """Return the share of similar iterations that paid off, with a few average ones added."""
    usual = (paid + 1) / (count + 2)
    return (paid_alike + PRIOR_ITERATIONS * usual) / (alike + PRIOR_ITERATIONS)


def calibration_error(known: Sequence[NextIteration]) -> float | None:
    """Return the mean error of estimates, each made from earlier data only; None if there are few."""
    if len(known) < MIN_ESTIMATES:
        return None
    first = max(1, len(known) - ESTIMATES)
    alike, paid_alike, bins = Counter[object](), Counter[object](), defaultdict[int, float](float)
    for number, one in enumerate(known):
        kind = one.before.kind
        if number >= first:
            chance = blend_shares(paid_alike[kind], alike[kind], paid_alike.total(), number)
            bins[int(chance * BANDS)] += chance - one.paid
        alike[kind] += 1
        paid_alike[kind] += one.paid
    return sum(map(abs, bins.values())) / (len(known) - first)


def estimate_prospect(known: Sequence[NextIteration], iteration: int, judged: Evaluation) -> Prospect | None:
    """Return the chance that another iteration pays after one with an evaluation; None before anything is known."""
    now = Standing(iteration, judged.red, judged.score)
    if not known:
        return None
    return Prospect(chance=estimate_chance(known, now), seen=len(known), error=calibration_error(known))
