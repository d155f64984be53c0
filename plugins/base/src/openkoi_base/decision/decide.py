"""Decide whether a run continues, accepts its work or aborts after an iteration.

Pure and total: it depends on facts, limits and costs alone. ROWS say what is accepted; the first row that fits applies.
Where it neither accepts nor ends the run, the rules say how the run continues or ends.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from openkoi_hookspecs import Cost, Decision, Facts, Iteration, Limits, NextAction, Policy, StopReason
from openkoi_hookspecs.lazy_dataclass import dataclass

from ..counts import format_count
from .decision_input import History, Rule
from .stop_rules import RULES, stop_looping, stop_out_of_budget

DOCTORED = "{name} failed before and passes now, but this work changed the file that determines its result"
UNJUDGED = (NextAction.ACCEPT_BEST, NextAction.ABORT_BUDGET, NextAction.ABORT_TIMEOUT)


def decide(iterations: Sequence[Iteration], limits: Limits, spent: Cost) -> Decision:
    """Apply the acceptance table, then the rules, to the history of a run."""
    if not iterations:
        return Decision(NextAction.CONTINUE, "nothing has been tried yet")
    history = History(iterations, limits, spent)
    decisions = (rule(history) for rule in (row_of(history.facts).apply, *RULES))
    decision = next((decision for decision in decisions if decision), None) or Decision(
        NextAction.CONTINUE, history.shortfall
    )
    return replace(decision, unjudged=decision.action in UNJUDGED and bool(history.facts.unjudged))


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table. ``apply`` accepts, or ends the run at once; if it does neither, the rules decide."""

    number: int
    fits: Callable[[Facts], bool]
    apply: Rule


def row_of(facts: Facts) -> Row:
    """Return the first row that applies."""
    return next(row for row in ROWS if row.fits(facts))


def wait_for_user(history: History) -> Decision | None:
    return Decision(NextAction.ESCALATE, "waiting for approval")


def accept_unevaluated(history: History) -> Decision | None:
    """Accept finished work, since no evaluation was requested; otherwise end, because there is no second iteration."""
    facts = history.facts
    if facts.end is StopReason.DONE and (facts.answered or facts.changed):
        return Decision(NextAction.ACCEPT, "not evaluated")
    return stop_looping(history) or stop_out_of_budget(history) or Decision(NextAction.ACCEPT_BEST, history.shortfall)


def accept_answer(history: History) -> Decision | None:
    return Decision(NextAction.ACCEPT, "not judged, because the task is a question")


def accept_nothing(history: History) -> Decision | None:
    return None


def accept_judged_change(history: History) -> Decision | None:
    """Accept unfinished work only if it changed something and its current state meets the threshold."""
    if history.facts.changed and history.meets_threshold:
        return accept_score(history)
    refused = history.facts.end is StopReason.REFUSED
    return Decision(NextAction.ACCEPT_BEST, history.shortfall) if refused else None


def accept_judged(history: History) -> Decision | None:
    """Accept work that meets the threshold; without a score, end the run: the next would have none."""
    if history.meets_threshold:
        return accept_score(history)
    silent = history.facts.judged is None
    return Decision(NextAction.ACCEPT_BEST, f"not judged: {history.facts.unjudged or 'no score'}") if silent else None


def accept_checked(history: History) -> Decision | None:
    """Accept work if required checks pass; end the run if nothing can check it."""
    facts = history.facts
    if facts.green and (facts.turned or facts.changed):
        return Decision(NextAction.ACCEPT, f"not judged: {checks_passed(facts)}")
    if facts.doctored:
        return Decision(NextAction.ACCEPT_BEST, f"not judged: {DOCTORED.format(name=facts.doctored[0])}")
    if facts.passing:
        return None
    found = "no required check passes" if history.evaluation.checks else "no check ran"
    missing = "; ".join(history.evaluation.missing)
    return Decision(NextAction.ACCEPT_BEST, f"not judged, and {found}{f': {missing}' if missing else ''}")


def accept_score(history: History) -> Decision:
    return Decision(
        NextAction.ACCEPT,
        f"score {history.facts.judged:.2f} meets the threshold {history.limits.quality_threshold:.2f}",
    )


def checks_passed(facts: Facts) -> str:
    """Describe how many checks were fixed, or else how many still pass."""
    if facts.turned:
        return f"{format_count(len(facts.turned), 'check')} turned green"
    edited = f", {facts.edited} of them in files that this work changed" if facts.edited else ""
    return f"{format_count(facts.passing, 'check')} still {'passes' if facts.passing == 1 else 'pass'}{edited}"


ROWS = (
    Row(1, lambda facts: facts.end is StopReason.PERSON, wait_for_user),
    Row(2, lambda facts: facts.policy is Policy.NONE, accept_unevaluated),
    Row(3, lambda facts: facts.question and facts.end is StopReason.DONE and facts.answered, accept_answer),
    Row(4, lambda facts: facts.red, accept_nothing),
    Row(5, lambda facts: facts.end is not StopReason.DONE, accept_judged_change),
    Row(6, lambda facts: not (facts.answered or facts.changed), accept_nothing),
    Row(7, lambda facts: facts.policy is Policy.JUDGE, accept_judged),
    Row(8, lambda facts: True, accept_checked),
)
