"""Stop or continue a run whose work is not accepted: rules for limits, a score that drops (regression), plateaus.

Pure; the first rule that returns a decision applies.
"""

from collections.abc import Sequence

from openkoi_hookspecs import Decision, EvaluationMode, NextAction, Prospect, StopReason

from ..counts import format_count
from .decision_input import History, Rule, evaluation_of
from .quality_threshold import ROUNDING
from .refine import NOTHING_DONE

MAX_CALIBRATION_ERROR = 0.05  # estimates with a larger error do not decide (issue 22)
MIN_CHANCE = 0.1  # stop if another iteration is less likely than this to help (estimate)
STUBBORN = 3  # ask the user if the same finding is open after this many iterations (estimate)


def stop_looping(history: History) -> Decision | None:
    """Stop a model that repeats itself."""
    looping = history.facts.end is StopReason.LOOP
    return Decision(NextAction.ABORT_LOOP, "repeated the same calls without making progress") if looping else None


def stop_out_of_budget(history: History) -> Decision | None:
    """Stop if a limit was reached: a lease was refused, or nothing is left for another iteration."""
    facts, limits, spent = history.facts, history.limits, history.spent
    if facts.end is StopReason.BUDGET:
        return out_of_budget(facts.limit or "the budget")
    for name, used, most in (
        ("tokens", spent.budget_tokens, limits.tokens),
        ("dollars", spent.usd, limits.usd),
        ("calls", spent.calls, limits.calls),
    ):
        if used >= most and used > 0:
            return out_of_budget(name)
    if facts.end is StopReason.TIME or spent.seconds >= limits.seconds:
        return Decision(NextAction.ABORT_TIMEOUT, f"reached the limit of {limits.seconds:g} seconds")
    return None


def out_of_budget(limit: str) -> Decision:
    return Decision(NextAction.ABORT_BUDGET, f"reached the limit of {limit}")


def restart_after_regression(history: History) -> Decision | None:
    """Undo work that made the result worse; the first time, restart from the best iteration with another approach."""
    why = describe_regression(history)
    if not why:
        return None
    if any(describe_regression(earlier) for earlier in iteration_prefixes(history.before)):
        return Decision(NextAction.ABORT_REGRESSION, f"a second regression: {why}")
    return None if history.used_up else Decision(NextAction.CONTINUE, why, restart_from_best=True)


def iteration_prefixes(history: History) -> Sequence[History]:
    counts = range(1, len(history.iterations) + 1)
    return [History(history.iterations[:count], history.limits, history.spent) for count in counts]


def describe_regression(history: History) -> str:
    """Return how the last iteration is worse than earlier ones; empty if it is not."""
    failing = (check for check in history.evaluation.checks if check.required and not check.passed)
    passed = passed_before(history)
    reddened = {check.name for check in failing if (check.evaluator, check.name) in passed}
    if reddened:
        return f"{', '.join(sorted(reddened)[:3])} passed before"
    now, best, margin = history.facts.judged, history.before.best_score, history.limits.max_regression
    if now is None or best is None or margin is None or now >= best - margin - ROUNDING:
        return ""
    return f"the score fell from {best:.2f} to {now:.2f}"


def passed_before(history: History) -> frozenset[tuple[str, str]]:
    """Return the checks that passed in an earlier iteration, each by its evaluator and its name."""
    earlier = (evaluation_of(iteration).checks for iteration in history.iterations[:-1])
    return frozenset((check.evaluator, check.name) for checks in earlier for check in checks if check.passed)


def ask_about_blocker(history: History) -> Decision | None:
    """Ask the user about a blocker that three iterations did not fix."""
    stuck = [finding.title for finding in history.evaluation.blockers if finding.key in still_open(history)]
    return Decision(NextAction.ESCALATE, f"still failing after {STUBBORN} iterations: {stuck[0]}") if stuck else None


def stop_at_iteration_limit(history: History) -> Decision | None:
    """Stop after the last iteration that the task may have."""
    if not history.used_up:
        return None
    count, why = format_count(len(history.iterations), "iteration"), history.shortfall
    after = "; stopped after" if ":" in why or "," in why else " after"  # "after" must not belong to a quoted clause
    return Decision(NextAction.ACCEPT_BEST, f"{why}{after} {count}")


def stop_stalled(history: History) -> Decision | None:
    """Stop if another iteration would not help. An open blocker is retried, and the user is asked about it."""
    if len(history.iterations) < 2 or history.evaluation.blockers:
        return None
    if repeats_nothing(history):
        return Decision(NextAction.ACCEPT_BEST, NOTHING_DONE)
    if history.evaluation.mode is EvaluationMode.CACHED:
        return Decision(NextAction.ACCEPT_BEST, "the last iteration changed nothing")
    if no_gain(history):
        return Decision(NextAction.ACCEPT_BEST, "the last iteration did not improve the result")
    return Decision(NextAction.ACCEPT_BEST, "the same findings are still open") if same_findings_open(history) else None


def stop_unpromising(history: History) -> Decision | None:
    """Stop if a reliable estimate shows that another iteration is unlikely to help. An open blocker is retried."""
    prospect = history.evaluation.prospect
    if prospect is None or not is_reliable(prospect) or history.evaluation.blockers or prospect.chance >= MIN_CHANCE:
        return None
    why = f"another iteration has an estimated {prospect.chance:.0%} chance of helping"
    return Decision(NextAction.ACCEPT_BEST, f"{history.shortfall}, and {why}")


def is_reliable(prospect: Prospect) -> bool:
    """Return whether the estimated chances that another iteration helps have been close to the outcomes."""
    return prospect.error is not None and prospect.error < MAX_CALIBRATION_ERROR


def repeats_nothing(history: History) -> bool:
    """Return whether this iteration and the previous one did nothing at all."""
    return not any(facts.answered or facts.changed for facts in (history.facts, history.before.facts))


def no_gain(history: History) -> bool:
    if history.evaluation.checks != history.before.evaluation.checks:
        return False
    now, best = history.facts.judged, history.before.best_score
    if now is None:
        return history.before.facts.judged is None
    return best is not None and now < best + history.limits.min_improvement - ROUNDING


def same_findings_open(history: History) -> bool:
    found = history.evaluation.open
    return bool(found) and still_open(history) == {finding.key for finding in found}


def still_open(history: History) -> set[tuple[str, str, str]]:
    """Return the findings that were open in each of the last three iterations."""
    if len(history.iterations) < STUBBORN:
        return set()
    recent = history.iterations[-STUBBORN:]
    return set.intersection(*({finding.key for finding in evaluation_of(one).open} for one in recent))


RULES: Sequence[Rule] = (
    stop_looping,
    stop_out_of_budget,
    restart_after_regression,
    ask_about_blocker,
    stop_at_iteration_limit,
    stop_stalled,
    stop_unpromising,
)
