"""The course of a run: its plan, iterations, decisions and result."""

from collections.abc import Sequence
from dataclasses import KW_ONLY
from enum import StrEnum

from .evaluation import Evaluation, ExecutionResult, Finding, StopReason
from .lazy_dataclass import dataclass
from .prompt import Section
from .task import Cost, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The executor's prompt: ``sections`` for the whole run, ``feedback`` from the last evaluation.

    ``suggestion`` is the evaluation's one line of advice, placed last. ``evaluate`` is False for a deterministic skill:
    the plan is executed once and not evaluated. ``asks``: the task is a question, which asks for nothing to be made or
    changed; before the work this is determined only if it matters.
    """

    steps: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    feedback: tuple[Finding, ...] = ()
    suggestion: str = ""
    evaluate: bool = True
    asks: bool = False


class Policy(StrEnum):
    """What it takes for work to be accepted.

    JUDGE: a judge's score; a judge is enabled. CHECKS: passing checks; no judge is. NONE: being done; no evaluation was
    asked for (no iterations, an agent without evaluation, a sub-task, a deterministic skill).
    """

    JUDGE = "judge"
    CHECKS = "checks"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The facts that the decision after an iteration is based on.

    ``end`` says why the execution ended, ``limit`` which limit ended it. ``answered``: it has an answer. ``changed``:
    the run has changed files that git does not ignore, or something outside the workspace. ``turned`` are the names of
    required checks that failed in the baseline and pass now, with their own file unchanged. ``passing`` counts required
    checks that pass. ``edited`` counts the passing checks whose own file the work changed; ``doctored`` are the names
    of those that also failed before. ``green`` and ``red`` are those of the ``Evaluation``, but a doctored check proves
    nothing, so ``green`` is then False. ``judged`` is the judges' score, ``unjudged`` why there is none although a
    judge is enabled. ``question``: the task is a question, and nothing changed.
    """

    end: StopReason = StopReason.DONE
    limit: str = ""
    answered: bool = False
    changed: bool = False
    turned: tuple[str, ...] = ()
    passing: int = 0
    edited: int = 0
    doctored: tuple[str, ...] = ()
    green: bool = False
    red: bool = False
    judged: float | None = None
    unjudged: str = ""
    policy: Policy = Policy.JUDGE
    question: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """One turn of the outer loop. ``evaluation`` is None if no evaluator returned an evaluation."""

    plan: Plan
    work: ExecutionResult
    evaluation: Evaluation | None = None
    cost: Cost
    facts: Facts = Facts()

    @property
    def merit(self) -> tuple[bool, bool, bool, float, int, int]:
        """The order of iterations: by judged, checks pass, no blocker, score, few failing checks, short diff."""
        found = self.evaluation or Evaluation()
        clean = not found.failing, not found.blockers
        return found.score is not None, *clean, found.score or 0.0, -len(found.failing), -self.work.diff.count("\n")


class NextAction(StrEnum):
    """What happens after an iteration."""

    CONTINUE = "continue"
    ACCEPT = "accept"
    ACCEPT_BEST = "accept_best"
    ESCALATE = "escalate"
    ABORT_BUDGET = "abort_budget"
    ABORT_TIMEOUT = "abort_timeout"
    ABORT_REGRESSION = "abort_regression"
    ABORT_LOOP = "abort_loop"


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision and its reason.

    ``restart_from_best``: the run continues from the best iteration's files with a minimal context, because the last
    iteration made things worse. An ``unjudged`` decision ends the run only because a judgment is missing: resuming the
    run asks the judge again.
    """

    action: NextAction
    reason: str
    _: KW_ONLY
    restart_from_best: bool = False
    unjudged: bool = False

    @property
    def final(self) -> bool:
        """Whether the loop ends here."""
        return self.action is not NextAction.CONTINUE


@dataclass(frozen=True, slots=True)
class Result:
    """How a task ended. ``best`` is the iteration whose files are in the workspace now; ``run`` is the run's id."""

    task: Task
    decision: Decision
    _: KW_ONLY
    best: Iteration
    iterations: Sequence[Iteration]
    cost: Cost
    run: str = ""

    @property
    def accepted(self) -> bool | None:
        """Whether the work was accepted; None if it was done and no evaluation was requested."""
        done = self.decision.action is NextAction.ACCEPT
        return None if done and self.iterations[-1].facts.policy is Policy.NONE else done

    @property
    def text(self) -> str:
        """The answer of the best iteration."""
        return self.best.work.text
