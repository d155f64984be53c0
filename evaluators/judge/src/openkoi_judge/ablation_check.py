"""Remove half of a work to test whether its judge notices (ablation)."""

from dataclasses import replace

from openkoi_base.skillfile.evaluator import Rubric
from openkoi_hookspecs import ExecutionResult, Finding, Severity


def halve_work(work: ExecutionResult) -> ExecutionResult:
    """Return the work without the second half of its changes and response, and without check results."""
    return replace(work, text=work.text[: len(work.text) // 2], diff=halve_diff(work.diff), known=None)


def halve_diff(diff: str) -> str:
    """Return a diff without the second half of its changes: additions are omitted, deletions undone."""
    lines = diff.splitlines(keepends=True)
    changed = [n for n, line in enumerate(lines) if line[:1] in ("+", "-") and not line.startswith(("+++ ", "--- "))]
    undone = frozenset(changed[len(changed) // 2 :])
    return "".join(line if n not in undone else undo_line(line) for n, line in enumerate(lines))


def undo_line(line: str) -> str:
    return f" {line[1:]}" if line[0] == "-" else ""


def blind_judge_finding(rubric: Rubric) -> Finding:
    """Return the finding about a judge that rates half of the work as high as all of it."""
    return Finding(
        "The judge would also accept half of this work",
        Severity.BLOCKER,
        rule=rubric.rule("unread"),
        detail="Either its second half adds nothing, or the judge did not read it.",
        fix="Remove what the task does not need, and state where each of its requirements is met.",
    )
