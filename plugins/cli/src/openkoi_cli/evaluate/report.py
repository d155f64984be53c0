"""Report an evaluation: accepted or not, why, and the findings with their locations."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from hashlib import sha256

from openkoi_base.counts import format_count
from openkoi_hookspecs import Cost, Evaluation, Finding, NextAction, Result, Severity
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

LOCATION = lazy_pattern(r"(?P<path>.*?)(?::(?P<line>\d+))?(?::(?P<column>\d+))?", re.DOTALL)
MAX_CHECK_FINDINGS = 20
EMPTY_EVALUATION = Evaluation()
ACCEPTED, BELOW, BUDGET, TIME, NO_PROVIDER = 0, 3, 4, 5, 9


@dataclass(frozen=True, slots=True)
class NumberedFinding:
    """A finding with its number, and its place relative to the user's folder.

    Its fingerprint stays the same if lines move.

    Without a ``path`` its place is unknown; without a ``line`` it is about the whole file.
    """

    id: str
    finding: Finding
    path: str
    line: int
    fingerprint: str

    @property
    def location(self) -> str:
        """The place in a form that terminals and editors can open."""
        place = f"{self.path}:{self.line}" if self.line else self.path
        return place or self.finding.where


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationReport:
    """The result of an evaluation. ``subject`` is what was evaluated; ``status`` is the exit status."""

    subject: str
    status: int
    reason: str
    quality: float
    evaluation: Evaluation = EMPTY_EVALUATION
    issues: tuple[NumberedFinding, ...] = ()
    warnings: tuple[str, ...] = ()
    evaluators: tuple[str, ...] = ()
    spent: Cost = field(default_factory=Cost)

    @property
    def is_accepted(self) -> bool:
        """Whether the work is accepted."""
        return self.status == ACCEPTED

    @property
    def used_model(self) -> bool:
        """Whether a model was asked."""
        return self.spent.calls > 0


@dataclass(frozen=True, slots=True)
class FindingRoot:
    """Resolves the places of findings. It has the folder as the user named it."""

    name: str
    contains: Callable[[str], bool]

    def resolve(self, where: str) -> tuple[str, int]:
        """Return the path and line of a finding; empty if its place is not a file in the folder."""
        match = LOCATION.fullmatch(where)
        path = (match["path"] if match else where).removeprefix("./")
        if not path or not self.contains(path):
            return "", 0
        line = int(match["line"] or 0) if match else 0
        return (f"{self.name}/{path}" if self.name else path), line


def build_report(result: Result, subject: str, ground: FindingRoot) -> EvaluationReport:
    """Return the report of a run."""
    evaluation = result.best.evaluation or EMPTY_EVALUATION
    return EvaluationReport(
        subject=subject,
        status=exit_status(result),
        reason=describe_reason(result),
        quality=result.task.effective_limits.quality_threshold,
        evaluation=evaluation,
        issues=tuple(number_findings(evaluation, ground)),
        spent=result.cost,
    )


def exit_status(result: Result) -> int:
    """Return the exit status; a limit that prevented the evaluation differs from work below the threshold."""
    if result.accepted:
        return ACCEPTED
    judged = result.best.evaluation is not None and result.best.evaluation.score is not None
    limits = {NextAction.ABORT_BUDGET: BUDGET, NextAction.ABORT_TIMEOUT: TIME}
    return BELOW if judged else limits.get(result.decision.action, BELOW)


def describe_reason(result: Result) -> str:
    """Return why the work is accepted or not, in one line."""
    evaluation = result.best.evaluation or EMPTY_EVALUATION
    red, blockers = len(evaluation.failing), len(evaluation.blockers)
    against = [format_count(red, "check fails", "checks fail")] if red else []
    against += [format_count(blockers, "blocker is open", "blockers are open")] if blockers else []
    score = evaluation.score
    if score is None:
        return ", ".join(against) or result.decision.reason
    return ", ".join([*against, f"score {score:.2f} of {result.task.effective_limits.quality_threshold:.2f}"])


def number_findings(evaluation: Evaluation, ground: FindingRoot) -> Iterator[NumberedFinding]:
    """Yield the findings, numbered, the most severe first; a failed check without one is a finding itself."""
    order = list(Severity)
    findings = sorted((*evaluation.findings, *failed_checks(evaluation)), key=lambda one: order.index(one.severity))
    seen: dict[str, int] = {}
    for number, finding in enumerate(findings, 1):
        path, line = ground.resolve(finding.where)
        mark = fingerprint(finding, path)
        seen[mark] = seen.get(mark, 0) + 1
        yield NumberedFinding(f"F{number}", finding, path, line, f"{mark}:{seen[mark]}")


def failed_checks(evaluation: Evaluation) -> Sequence[Finding]:
    """Return failed checks as findings, if there are no other findings."""
    if evaluation.open:
        return ()
    return [Finding(f"{name} fails", rule=name) for name in sorted(evaluation.failing)[:MAX_CHECK_FINDINGS]]


def fingerprint(finding: Finding, path: str) -> str:
    """Return a digest that is the same for the same finding, even if lines have moved."""
    rule, where, title = replace(finding, where=path or finding.where).key
    return sha256("\0".join((rule, where, title)).encode("utf-8", "surrogatepass")).hexdigest()[:32]
