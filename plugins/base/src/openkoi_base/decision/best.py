"""Choose the best iteration, and the one that a run returns. Pure."""

from collections.abc import Sequence

from openkoi_hookspecs import Iteration, NextAction, StopReason

from .decision_input import score_of


def best_of(iterations: Sequence[Iteration]) -> Iteration:
    """Return the best iteration, not the last. A judged one beats any unjudged one; of equals, the earlier wins."""
    return max(iterations, key=lambda one: one.merit)


def choose_returned(iterations: Sequence[Iteration], decision: NextAction) -> Iteration:
    """Return the iteration whose files and answer a run returns.

    What was accepted, or waits for the user, is the last one. Otherwise it is the best that was judged. Where none was,
    the files stay as they are: the last iteration that did something.
    """
    last = iterations[-1]
    if decision is NextAction.ACCEPT or last.work.ended is StopReason.PERSON:
        return last
    if decision is NextAction.ABORT_REGRESSION or any(score_of(one) is not None for one in iterations):
        return best_of(iterations)
    return next((one for one in reversed(iterations) if one.facts.answered or one.facts.changed), last)
