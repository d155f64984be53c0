"""What an evaluation comes to for whoever waits for it: accepted or not, and why. Pure: knows no terminal."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from openkoi_hookspecs import Cost, Evaluation, Finding, NextAction, Result, Severity

WHERE = re.compile(r"(?P<path>.*?)(?::(?P<line>\d+))?(?::(?P<column>\d+))?", re.DOTALL)
MOST = 20
NOTHING = Evaluation()
ACCEPTED, BELOW, BUDGET, TIME, NO_PROVIDER = 0, 3, 4, 5, 9


@dataclass(frozen=True, slots=True)
class Issue:
    """A finding with its number, its place as seen from where a person stands, and a mark that stays when lines move.

    Without a ``path`` its place could not be made out; without a ``line`` it is about the whole file.
    """

    id: str
    finding: Finding
    path: str
    line: int
    fingerprint: str

    @property
    def where(self) -> str:
        """The place in a form that terminals and editors can follow."""
        place = f"{self.path}:{self.line}" if self.line else self.path
        return place or self.finding.where


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """All there is to tell. ``subject`` is what was evaluated; ``status`` how the process ends."""

    subject: str
    status: int
    reason: str
    quality: float
    evaluation: Evaluation = NOTHING
    issues: tuple[Issue, ...] = ()
    warnings: tuple[str, ...] = ()
    evaluators: tuple[str, ...] = ()
    spent: Cost = field(default_factory=Cost)

    @property
    def accepted(self) -> bool:
        """Whether nothing speaks against it."""
        return self.status == ACCEPTED

    @property
    def asked(self) -> bool:
        """Whether a model was asked."""
        return self.spent.calls > 0


@dataclass(frozen=True, slots=True)
class Ground:
    """Where findings are: the folder as a person calls it, and whether a file is in it."""

    name: str
    holds: Callable[[str], bool]

    def place(self, where: str) -> tuple[str, int]:
        """Path and line of a finding; nothing of one whose place is no file there."""
        match = WHERE.fullmatch(where)
        path = (match["path"] if match else where).removeprefix("./")
        if not path or not self.holds(path):
            return "", 0
        line = int(match["line"] or 0) if match else 0
        return (f"{self.name}/{path}" if self.name else path), line


def verdict_of(result: Result, subject: str, ground: Ground) -> Verdict:
    """What a run came to."""
    evaluation = result.best.evaluation or NOTHING
    return Verdict(
        subject=subject,
        status=status_of(result),
        reason=reason(result),
        quality=result.task.effective_limits.quality_threshold,
        evaluation=evaluation,
        issues=tuple(issues(evaluation, ground)),
        spent=result.cost,
    )


def status_of(result: Result) -> int:
    """How the process ends; a limit that left the work unjudged is told apart from work that is not good enough."""
    if result.accepted:
        return ACCEPTED
    judged = result.best.evaluation is not None and result.best.evaluation.score is not None
    limits = {NextAction.ABORT_BUDGET: BUDGET, NextAction.ABORT_TIMEOUT: TIME}
    return BELOW if judged else limits.get(result.decision.action, BELOW)


def reason(result: Result) -> str:
    """Why it is accepted, or not, in one line."""
    evaluation = result.best.evaluation or NOTHING
    red, blockers = len(evaluation.failing), len(evaluation.blockers)
    against = [counted(red, "check fails", "checks fail")] if red else []
    against += [counted(blockers, "blocker is open", "blockers are open")] if blockers else []
    score = evaluation.score
    if score is None:
        return ", ".join(against) or result.decision.reason
    return ", ".join([*against, f"score {score:.2f} of {result.task.effective_limits.quality_threshold:.2f}"])


def counted(number: int, one: str, many: str) -> str:
    """A number with its words."""
    return f"{number} {one if number == 1 else many}"


def issues(evaluation: Evaluation, ground: Ground) -> Iterator[Issue]:
    """The findings, numbered, the gravest first; a red check that nobody explains is one by itself."""
    order = list(Severity)
    findings = sorted((*evaluation.findings, *unexplained(evaluation)), key=lambda one: order.index(one.severity))
    seen: dict[str, int] = {}
    for number, finding in enumerate(findings, 1):
        path, line = ground.place(finding.where)
        mark = digest(finding, path)
        seen[mark] = seen.get(mark, 0) + 1
        yield Issue(f"F{number}", finding, path, line, f"{mark}:{seen[mark]}")


def unexplained(evaluation: Evaluation) -> Sequence[Finding]:
    """Red checks as findings, where there is no other."""
    if evaluation.open:
        return ()
    return [Finding(f"{name} fails", rule=name) for name in sorted(evaluation.failing)[:MOST]]


def digest(finding: Finding, path: str) -> str:
    """The same for the same finding, although lines have moved."""
    rule, where, title = replace(finding, where=path or finding.where).key
    return sha256("\0".join((rule, where, title)).encode("utf-8", "surrogatepass")).hexdigest()[:32]
