"""Export as Markdown: a page per task, an index, and the learnings.

Texts of tasks are quoted and escaped, so that they cannot form headings or links.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from openkoi_base.counts import format_count
from openkoi_runlog.report import first_line, format_dollars, format_tokens

from .export_source import ExportSource
from .folders import write_file
from .rows import CostRow, ExportTables, FindingRow, LearningRow, TaskRow
from .tables import build_tables

MARKUP_CHARACTERS = "\\`*_{}[]<>()#+-!|~"


def write_markdown(folder: Path, source: ExportSource) -> dict[str, int]:
    """Write a page per task, an index, and the learnings."""
    tables = build_tables(source.records())
    for task in tables.tasks:
        write_file(folder / "tasks" / f"{task.id}.md", "\n".join(format_page(task, tables)) + "\n")
    write_file(folder / "README.md", "\n".join(format_index(tables)) + "\n")
    write_file(folder / "learnings.md", "\n".join(format_learnings(tables.learnings)) + "\n")
    return {kind.table: len(rows) for kind, rows in tables.rows_by_type().items()}


def format_index(tables: ExportTables) -> Iterator[str]:
    """Yield the list of all tasks, newest first, and costs by model."""
    yield from ("# What OpenKoi did", "", "| started | task | decision | score | tokens | cost |", "|" + "---|" * 6)
    for task in sorted((task for task in tables.tasks if not task.parent), key=lambda task: task.started, reverse=True):
        name = f"[{escape_markup(first_line(task.text, 80)) or task.id}](tasks/{task.id}.md)"
        yield format_row(
            format_minute(task.started),
            name,
            task.decision,
            format_score(task.score),
            format_tokens(task.tokens),
            format_dollars(task.usd),
        )
    yield from ("", "## Cost by model", "", *format_costs(tables.costs))


def format_page(task: TaskRow, tables: ExportTables) -> Iterator[str]:
    """Yield the page of a task."""
    yield from (f"# Task {task.id[:8]}", "", *quote_text(task.text), "")
    yield f"- {format_minute(task.started)}, {task.model or 'no model'}, {task.category or 'no category'}"
    yield f"- {task.decision or 'not ended'}: {escape_markup(task.reason)}"
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
        yield format_row(str(one.iteration), format_score(one.score), one.decision, escape_markup(one.reason), *figures)
    yield from ("", "## Findings", "", *map(format_finding, (one for one in tables.findings if one.task == task.id)))
    yield from ("", "## Cost by model", "", *format_costs(one for one in tables.costs if one.task == task.id))


def format_finding(finding: FindingRow) -> str:
    """Format a finding as a list item."""
    resolved = "open" if finding.resolved_in is None else f"resolved in {finding.resolved_in}"
    where = f" ({escape_markup(finding.location)})" if finding.location else ""
    fix = f" Fix: {escape_markup(finding.fix)}" if finding.fix else ""
    return f"- **{finding.severity}** {escape_markup(finding.title)}{where}, {resolved}.{fix}"


def format_learnings(rows: Sequence[LearningRow]) -> Iterator[str]:
    """Yield the learnings with their counts."""
    yield from ("# What OpenKoi learned", "")
    for one in rows:
        counts = f"helped {one.helpful}, harmed {one.harmful}"
        yield f"- **{one.kind}** ({one.standing}, {counts}): {escape_markup(one.text)}"


def format_costs(costs: Iterable[CostRow]) -> Iterator[str]:
    """Yield the cost of each model, most expensive first."""
    sums: dict[str, float] = {}
    for one in costs:
        sums[one.model] = sums.get(one.model, 0.0) + one.usd
    for model, usd in sorted(sums.items(), key=lambda pair: -pair[1]):
        yield f"- {escape_markup(model)}: {format_dollars(usd)}"


def format_row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def quote_text(text: str) -> list[str]:
    """Return a text as a Markdown quotation."""
    return [f"> {escape_markup(line)}".rstrip() for line in text.splitlines()]


def escape_markup(text: str) -> str:
    """Return a text in one line, with markup escaped."""
    line = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in MARKUP_CHARACTERS else sign for sign in line)


def format_score(score: float | None) -> str:
    return "-" if score is None else f"{score:.2f}"


def format_minute(at: str) -> str:
    return at[:16].replace("T", " ")
