"""Iterations for tests of decisions: what a judge, checks and the end of an execution make of them."""

from collections.abc import Sequence
from itertools import count

from openkoi_base.decision.facts import observe
from openkoi_hookspecs import (
    Check,
    Cost,
    Evaluation,
    ExecutionResult,
    Finding,
    Iteration,
    Plan,
    Policy,
    Score,
    Severity,
    StopReason,
)

NUMBERS = count()
BLOCKER = Finding("drops every table", Severity.BLOCKER)
GREEN, RED = Check("unit", True), Check("unit", False)


def judged(
    score: float | None, *findings: Finding, checks: Sequence[Check] = (), end: StopReason = StopReason.DONE
) -> Iteration:
    """An iteration that a judge scored; None: there is no judge, and the checks decide."""
    scores = () if score is None else (Score("quality", score),)
    return iteration(Evaluation(scores=scores, checks=tuple(checks), findings=findings), end)


def iteration(evaluation: Evaluation | None, end: StopReason = StopReason.DONE, limit: str = "") -> Iteration:
    """An iteration that changed a line which no other one changed."""
    number = next(NUMBERS)
    work = ExecutionResult(f"iteration {number}", diff=f"+line {number}", files=("a.py",), ended=end, limit=limit)
    policy = Policy.JUDGE if evaluation and evaluation.scores else Policy.CHECKS
    facts = observe(Plan(), work, evaluation, policy=policy)
    return Iteration(plan=Plan(), work=work, evaluation=evaluation, cost=Cost(), facts=facts)
