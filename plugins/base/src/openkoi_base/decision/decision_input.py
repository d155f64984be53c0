"""Everything a decision may depend on: the iterations so far, the limits, and what was spent. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from openkoi_hookspecs import Cost, Decision, Evaluation, Facts, Iteration, Limits

from .quality_threshold import explain_shortfall, meets

NOTHING = Evaluation()


@dataclass(frozen=True)
class History:
    """Everything a decision may depend on."""

    iterations: Sequence[Iteration]
    limits: Limits
    spent: Cost

    @property
    def last(self) -> Iteration:
        return self.iterations[-1]

    @property
    def facts(self) -> Facts:
        """The facts of the last iteration."""
        return self.last.facts

    @property
    def evaluation(self) -> Evaluation:
        """The evaluation of the last iteration."""
        return evaluation_of(self.last)

    @cached_property
    def before(self) -> "History":
        """The history without its last iteration."""
        return History(self.iterations[:-1], self.limits, self.spent)

    @property
    def best_score(self) -> float | None:
        """The highest score so far, if there is one."""
        return max((score for score in map(score_of, self.iterations) if score is not None), default=None)

    @property
    def used_up(self) -> bool:
        """Whether no iteration is left."""
        return len(self.iterations) >= self.limits.iterations

    @property
    def shortfall(self) -> str:
        """Why the last iteration is not good enough."""
        return explain_shortfall(self.last, self.limits)

    @property
    def meets_threshold(self) -> bool:
        """Whether a judge's score of the current state reaches the threshold."""
        return self.facts.judged is not None and meets(self.facts.judged, self.limits.quality_threshold)


Rule: TypeAlias = Callable[[History], Decision | None]


def evaluation_of(iteration: Iteration) -> Evaluation:
    return iteration.evaluation or NOTHING


def score_of(iteration: Iteration) -> float | None:
    return evaluation_of(iteration).score
