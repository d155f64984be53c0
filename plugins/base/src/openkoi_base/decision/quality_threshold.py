"""Compare a score with the quality threshold, and explain why an iteration was not accepted. Pure."""

from openkoi_hookspecs import Evaluation, Iteration, Limits, Policy, StopReason

from ..counts import format_count
from .refine import NOTHING_DONE, how_it_ended

ROUNDING = 1e-9  # scores are means of decimals: what misses a threshold by less than this reaches it
DIGITS = range(2, 9)  # a difference below ROUNDING does not count


def meets(score: float, threshold: float) -> bool:
    """Return whether a score reaches a threshold."""
    return score >= threshold - ROUNDING


def explain_shortfall(iteration: Iteration, limits: Limits) -> str:
    """Return why an iteration was not accepted."""
    facts, evaluation = iteration.facts, iteration.evaluation or Evaluation()
    if facts.red:
        return describe_failures(evaluation)
    if facts.end is StopReason.REFUSED:
        return f"the model refused: {first_line(iteration.work.text) or 'it gave no reason'}"
    if facts.end is not StopReason.DONE:
        return how_it_ended(facts)
    if not (facts.answered or facts.changed):
        return NOTHING_DONE
    if facts.judged is not None:
        return below_threshold(facts.judged, limits.quality_threshold)
    if facts.policy is Policy.CHECKS and evaluation.missing:
        return f"not checked: {evaluation.missing[0]}"
    if facts.policy is Policy.CHECKS and facts.green:
        return "nothing was changed, so passing checks prove nothing"
    return "not judged"


def below_threshold(score: float, threshold: float) -> str:
    """Return a message that a score is too low, with enough digits to show the difference."""
    digits = next((count for count in DIGITS if f"{score:.{count}f}" != f"{threshold:.{count}f}"), DIGITS.stop)
    return f"score {score:.{digits}f} is below the threshold {threshold:.{digits}f}"


def describe_failures(evaluation: Evaluation) -> str:
    """Return the open blocker, or else how many checks fail."""
    if evaluation.blockers:
        return f"a blocker is open: {evaluation.blockers[0].title}"
    count = len(evaluation.failing)
    return f"{format_count(count, 'required check')} {'fails' if count == 1 else 'fail'}"


def first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:200]
