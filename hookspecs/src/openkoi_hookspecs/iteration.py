"""How a run went: its plan, its iterations, what was decided, and the result."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum

from .prompt import Section
from .task import Spend, Task
from .work import Evaluation, Finding, Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the executor will be told: ``sections`` for the whole run, ``feedback`` from the last evaluation.

    ``suggestion`` is the evaluation's one line of advice, and stands last.

    A plan that is not ``judged`` is executed once and not evaluated: a question that only reads, a deterministic skill.
    """

    steps: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    feedback: tuple[Finding, ...] = ()
    suggestion: str = ""
    judged: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """One turn of the outer loop. ``evaluation`` is None when nobody was asked."""

    plan: Plan
    work: Work
    evaluation: Evaluation | None = None
    spent: Spend


class Decision(StrEnum):
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
class Ruling:
    """A decision and why it was taken.

    A ``fresh`` one goes on from the best iteration's files with a minimal context: the last attempt led astray.
    """

    decision: Decision
    reason: str
    _: KW_ONLY
    fresh: bool = False

    @property
    def final(self) -> bool:
        """Whether the loop ends here."""
        return self.decision is not Decision.CONTINUE


@dataclass(frozen=True, slots=True)
class Result:
    """How a task ended. ``best`` is the iteration whose files are in the workspace now."""

    task: Task
    ruling: Ruling
    _: KW_ONLY
    best: Iteration
    iterations: Sequence[Iteration]
    spent: Spend

    @property
    def accepted(self) -> bool:
        """Whether the quality asked for was met, or nothing was there to judge."""
        return self.ruling.decision is Decision.ACCEPT

    @property
    def text(self) -> str:
        """The last words of the best iteration."""
        return self.best.work.text
