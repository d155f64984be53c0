"""Estimate from a project's runs the chance that another iteration pays, and how reliable such estimates are."""

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
    """Where a run stands after an iteration: its number from zero, whether it is red, and its score."""

    iteration: int
    red: bool
    score: float | None

    @property
    def kind(self) -> tuple[int, bool, int]:
        """What makes two standings alike."""
        band = -1 if self.score is None else int(min(self.score, 0.999) * BANDS)
        return min(self.iteration, FIRST_ITERATIONS), self.red, band


@dataclass(frozen=True, slots=True)
class NextIteration:
    """Where a run stood, and whether the next iteration paid."""

    before: Standing
    paid: bool


def standing_of(decided: events.DecisionMade) -> Standing:
    """Return where a run stood when it was decided."""
    return Standing(decided.iteration, decided.facts.red, decided.facts.judged)


def has_paid(before: Standing, decided: events.DecisionMade) -> bool:
    """Return whether an iteration was accepted, turned green, or raised the score by more than a plateau."""
    after = standing_of(decided)
    gained = after.score is not None and after.score > (before.score or 0.0) + PLATEAU_DELTA
    return decided.decision.action is NextAction.ACCEPT or (before.red and not after.red) or gained


def estimate_chance(known: Sequence[NextIteration], now: Standing) -> float:
    """Return the share of like iterations after which the next one paid, assuming a few that went as all did."""
    usual = (sum(one.paid for one in known) + 1) / (len(known) + 2)
    alike = [one.paid for one in known if one.before.kind == now.kind]
    return (sum(alike) + PRIOR_ITERATIONS * usual) / (len(alike) + PRIOR_ITERATIONS)


def calibration_error(known: Sequence[NextIteration]) -> float | None:
    """Return how far estimates were from what happened, each made from what was known before; None if there are few."""
    if len(known) < MIN_ESTIMATES:
        return None
    newest = range(max(1, len(known) - ESTIMATES), len(known))
    pairs = [(estimate_chance(known[:number], known[number].before), known[number].paid) for number in newest]
    bins: dict[int, list[tuple[float, bool]]] = {}
    for chance, paid in pairs:
        bins.setdefault(int(chance * BANDS), []).append((chance, paid))
    return sum(abs(sum(chance - paid for chance, paid in some)) for some in bins.values()) / len(pairs)


def estimate_prospect(known: Sequence[NextIteration], iteration: int, judged: Evaluation) -> Prospect | None:
    """Return the chance that another iteration pays after one with an evaluation; None before anything is known."""
    now = Standing(iteration, judged.red, judged.score)
    if not known:
        return None
    return Prospect(chance=estimate_chance(known, now), seen=len(known), error=calibration_error(known))
