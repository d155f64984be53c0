"""Half of a work, which nobody who looks at it takes for the whole. Knows diffs and words; asks nobody."""

from dataclasses import replace

from openkoi_hookspecs import ExecutionResult, Finding, Severity
from openkoi_skillfile import Rubric


def halved(work: ExecutionResult) -> ExecutionResult:
    """The same work with the second half of its changes and of its words left out, and nothing known of it."""
    return replace(work, text=work.text[: len(work.text) // 2], diff=half_of(work.diff), known=None)


def half_of(diff: str) -> str:
    """A diff without the second half of its changes: what it adds is not there, what it takes away still is."""
    lines = diff.splitlines(keepends=True)
    changed = [n for n, line in enumerate(lines) if line[:1] in ("+", "-") and not line.startswith(("+++ ", "--- "))]
    undone = frozenset(changed[len(changed) // 2 :])
    return "".join(line if n not in undone else undo(line) for n, line in enumerate(lines))


def undo(line: str) -> str:
    return f" {line[1:]}" if line[0] == "-" else ""


def unread(rubric: Rubric) -> Finding:
    """Say that half of the work was as good as all of it to its judge."""
    return Finding(
        "The judge would accept half of this work as well",
        Severity.BLOCKER,
        rule=rubric.rule("unread"),
        detail="Either its second half adds nothing, or the judge did not read it.",
        fix="Remove what is not needed, and state for each point of the task where it is done.",
    )
