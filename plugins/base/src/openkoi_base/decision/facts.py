"""Collect the facts that a decision is based on. Pure."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

from openkoi_hookspecs import (
    Baseline,
    Check,
    Evaluation,
    Evaluator,
    ExecutionResult,
    Facts,
    Plan,
    Policy,
    StopReason,
    Task,
)

NOT_ASKED = "no judge gave a score"
CheckId: TypeAlias = tuple[str, str]
"""The evaluator that reports a check, and its name: two evaluators may have a check of one name."""


def observe(
    plan: Plan,
    work: ExecutionResult,
    evaluation: Evaluation | None,
    *,
    policy: Policy,
    failed: Collection[CheckId] = (),
) -> Facts:
    """Return the facts about work and its evaluation; ``failed`` are the checks that failed before the work."""
    found = evaluation or Evaluation()
    green = [check for check in found.checks if check.required and check.passed]
    edited = [check for check in green if check.file in work.files]
    doctored = [check for check in edited if (check.evaluator, check.name) in failed]
    silent = policy is Policy.JUDGE and evaluation is not None and found.score is None and not found.red
    return Facts(
        end=work.ended,
        limit=work.limit,
        answered=work.answered,
        changed=work.changed,
        turned=find_turned(found.checks, failed, work),
        passing=len(green),
        edited=len(edited),
        doctored=tuple(check.name for check in doctored),
        green=found.green and not doctored,
        red=found.red,
        judged=found.score,
        unjudged=(found.unavailable_reason or NOT_ASKED) if silent else "",
        policy=policy,
        question=is_question(plan, work),
    )


def limit_work(work: ExecutionResult, limit: str) -> ExecutionResult:
    """Mark the work as ended by a limit if a judge, a hook, a tool or a sub-task reached one."""
    if not limit or work.ended in (StopReason.BUDGET, StopReason.TIME, StopReason.LOOP, StopReason.PERSON):
        return work
    return replace(work, ended=StopReason.TIME if limit == "seconds" else StopReason.BUDGET, limit=limit)


def policy_of(task: Task, plan: Plan, evaluators: Mapping[str, Evaluator]) -> Policy:
    """Return the policy by which the work on this task is accepted."""
    if not may_be_evaluated(task) or not plan.evaluate:
        return Policy.NONE
    return Policy.JUDGE if any(map(is_judge, evaluators.values())) else Policy.CHECKS


def may_be_evaluated(task: Task) -> bool:
    """Whether the work on a task may be evaluated: never with zero iterations; a sub-task's only if its parent's is."""
    return task.effective_limits.iterations > 0 and not task.parent


def is_judge(evaluator: Evaluator) -> bool:
    """Whether an evaluator declares that it weighs the whole work against the task."""
    return getattr(evaluator, "judges", False) is True


def is_question(plan: Plan, work: ExecutionResult) -> bool:
    """Whether the task is a question, and nothing was changed."""
    return plan.asks and not work.changed


def failed_before(baselines: Iterable[Baseline]) -> frozenset[CheckId]:
    """Return the checks that failed before the work."""
    return frozenset((one.evaluator, check.name) for one in baselines for check in one.checks if not check.passed)


def find_turned(checks: Iterable[Check], failed: Collection[CheckId], work: ExecutionResult) -> tuple[str, ...]:
    """Return the required checks that failed before the work and pass now, with their own file unchanged."""
    passing = (check for check in checks if check.required and check.passed and check.file not in work.files)
    return tuple(check.name for check in passing if (check.evaluator, check.name) in failed)
