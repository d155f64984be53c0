"""Gather the facts that a decision rests on. Pure but for reading the run."""

from collections.abc import Collection, Iterable, Mapping

from openkoi_hookspecs import Baseline, Check, Evaluation, Evaluator, Facts, Plan, Policy, Task, Work

from ..kernel import Kernel

NOT_ASKED = "no judge gave a score"


def facts_of(plan: Plan, work: Work, evaluation: Evaluation | None, run: Kernel) -> Facts:
    """The facts of an iteration that is over."""
    policy = policy_of(run.task, plan, run.evaluators)
    return observe(plan, work, evaluation, policy=policy, failed=failed_before(run.baselines.values()))


def observe(
    plan: Plan, work: Work, evaluation: Evaluation | None, *, policy: Policy, failed: Collection[str] = ()
) -> Facts:
    """The facts of work and what was said of it; ``failed`` are the checks that failed before the work."""
    found = evaluation or Evaluation()
    passing = [check for check in found.checks if check.required and check.passed]
    silent = policy is Policy.JUDGE and evaluation is not None and found.score is None and not found.red
    return Facts(
        end=work.ended,
        limit=work.limit,
        answered=work.answered,
        changed=work.changed,
        turned=turned(found.checks, failed, work),
        passing=len(passing),
        edited=sum(check.file in work.files for check in passing),
        green=found.green,
        red=found.red,
        judged=found.score,
        unjudged=(found.unknown or NOT_ASKED) if silent else "",
        policy=policy,
        question=is_question(plan, work),
    )


def policy_of(task: Task, plan: Plan, evaluators: Mapping[str, Evaluator]) -> Policy:
    """What an acceptance of this task has to rest on."""
    if task.limits.iterations < 1 or task.parent or not plan.judged:
        return Policy.NONE
    return Policy.JUDGE if any(map(is_judge, evaluators.values())) else Policy.CHECKS


def is_judge(evaluator: Evaluator) -> bool:
    """Whether an evaluator declares that it weighs the whole work against the task."""
    return getattr(evaluator, "judges", False) is True


def is_question(plan: Plan, work: Work) -> bool:
    """Whether the words ask for nothing to be changed, and nothing was."""
    return plan.asks and not work.changed


def failed_before(baselines: Iterable[Baseline]) -> frozenset[str]:
    """The names of the checks that failed before the work."""
    return frozenset(check.name for baseline in baselines for check in baseline.checks if not check.passed)


def turned(checks: Iterable[Check], failed: Collection[str], work: Work) -> tuple[str, ...]:
    """The required checks that failed before the work and pass now, with the file that defines them unchanged."""
    required = (check for check in checks if check.required and check.passed and check.name in failed)
    return tuple(check.name for check in required if check.file not in work.files)
