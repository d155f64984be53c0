"""An export to be read: one page a task, with its iterations, findings and cost, and one of what was learned.

What was said in a task is shown as a quotation, so that nothing in it is taken for a heading or a link of ours.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from openkoi_report import first_line, format_count, format_dollars, format_tokens

from .folders import put
from .rows import CostRow, ExportTables, FindingRow, LearningRow, TaskRow
from .source import ExportSource
from .telling import tables_of

SPECIAL = "\\`*_{}[]<>()#+-!|~"


def write_markdown(folder: Path, source: ExportSource) -> dict[str, int]:
    """Write a page a task, the list of them, and what was learned."""
    tables = tables_of(source.records())
    for task in tables.tasks:
        put(folder / "tasks" / f"{task.id}.md", "\n".join(page(task, tables)) + "\n")
    put(folder / "README.md", "\n".join(index(tables)) + "\n")
    put(folder / "learnings.md", "\n".join(learnings(tables.learnings)) + "\n")
    return {kind.table: len(rows) for kind, rows in tables.rows_by_type().items()}


def index(tables: ExportTables) -> Iterator[str]:
    """All tasks, newest first, and what they cost by model."""
    yield from ("# What OpenKoi did", "", "| started | task | decision | score | tokens | cost |", "|" + "---|" * 6)
    for task in sorted((task for task in tables.tasks if not task.parent), key=lambda task: task.started, reverse=True):
        name = f"[{plain(first_line(task.text, 80)) or task.id}](tasks/{task.id}.md)"
        yield row(
            day(task.started),
            name,
            task.decision,
            format_score(task.score),
            format_tokens(task.tokens),
            format_dollars(task.usd),
        )
    yield from ("", "## Cost by model", "", *by_model(tables.costs))


def page(task: TaskRow, tables: ExportTables) -> Iterator[str]:
    """One task."""
    yield from (f"# Task {task.id[:8]}", "", *quotation(task.text), "")
    yield f"- {day(task.started)}, {task.model or 'no model'}, {task.category or 'no category'}"
    yield f"- {task.decision or 'not ended'}: {plain(task.reason)}"
    iterations = format_count(task.iterations, "iteration")
    yield f"- {iterations}, score {format_score(task.score)}, {format_tokens(task.tokens)} tokens"
    if task.parent:
        yield f"- part of [{task.parent[:8]}]({task.parent}.md)"
    yield from (
        "",
        "## Iterations",
        "",
        "| iteration | score | decision | reason | tokens | cost | s |",
        "|" + "---|" * 7,
    )
    for one in (one for one in tables.iterations if one.task == task.id):
        figures = (format_tokens(one.tokens), format_dollars(one.usd), f"{one.seconds:.1f}")
        yield row(str(one.iteration), format_score(one.score), one.decision, plain(one.reason), *figures)
    yield from ("", "## Findings", "", *map(bullet, (one for one in tables.findings if one.task == task.id)))
    yield from ("", "## Cost by model", "", *by_model(one for one in tables.costs if one.task == task.id))


def bullet(finding: FindingRow) -> str:
    """A finding in a line."""
    resolved = "open" if finding.resolved_in is None else f"resolved in {finding.resolved_in}"
    where = f" ({plain(finding.location)})" if finding.location else ""
    fix = f" Fix: {plain(finding.fix)}" if finding.fix else ""
    return f"- **{finding.severity}** {plain(finding.title)}{where}, {resolved}.{fix}"


def learnings(rows: Sequence[LearningRow]) -> Iterator[str]:
    """What was learned, and how far it is trusted."""
    yield from ("# What OpenKoi learned", "")
    for one in rows:
        yield f"- **{one.kind}** ({one.standing}, helped {one.helpful}, harmed {one.harmful}): {plain(one.text)}"


def by_model(costs: Iterable[CostRow]) -> Iterator[str]:
    """What each model cost, the dearest first."""
    sums: dict[str, float] = {}
    for one in costs:
        sums[one.model] = sums.get(one.model, 0.0) + one.usd
    for model, usd in sorted(sums.items(), key=lambda pair: -pair[1]):
        yield f"- {plain(model)}: {format_dollars(usd)}"


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def quotation(text: str) -> list[str]:
    """A text as a quotation, line by line."""
    return [f"> {plain(line)}".rstrip() for line in text.splitlines()]


def plain(text: str) -> str:
    """A text in one line, in which nothing is markup."""
    line = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in SPECIAL else sign for sign in line)


def format_score(score: float | None) -> str:
    return "-" if score is None else f"{score:.2f}"


def day(at: str) -> str:
    return at[:16].replace("T", " ")
