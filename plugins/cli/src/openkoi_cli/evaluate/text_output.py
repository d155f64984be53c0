"""Format a report as text: lines for a terminal, and Markdown for a page."""

from collections.abc import Iterator

from openkoi_base.counts import format_count
from openkoi_hookspecs import Severity
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .report import EvaluationReport, NumberedFinding

MAX_DETAIL_LINES = 8
MAX_LINE_CHARACTERS = 200
DEPENDENCY_FOLDER = "/node_modules/"
SIGNS = {Severity.BLOCKER: "🛑", Severity.IMPORTANT: "⚠️", Severity.SUGGESTION: "💡"}
MARKUP = lazy_pattern(r"([\\`*_\[\]<>|#])")


def format_text(report: EvaluationReport) -> str:
    """Return lines for a terminal: the outcome, each finding, the scores."""
    lines = [format_headline(report)]
    for issue in report.issues:
        lines += ["", *format_issue(issue)]
    return "\n".join([*lines, *(["", format_scores(report)] if format_scores(report) else [])])


def format_headline(report: EvaluationReport) -> str:
    """Return the outcome in one line."""
    return f"{'✓ accepted' if report.is_accepted else '✗ not accepted'}: {report.subject}: {report.reason}"


def format_issue(issue: NumberedFinding) -> Iterator[str]:
    """Yield the lines of one finding, its place first so that it can be followed."""
    finding = issue.finding
    yield f"{issue.id} {finding.severity}  {issue.location}".rstrip()
    yield f"  {finding.title}"
    yield from (f"    {line}" for line in shorten_detail(finding.detail))
    if finding.fix:
        yield f"  → {finding.fix}"


def shorten_detail(detail: str) -> list[str]:
    """Return the end of a detail, which contains the reason, without frames in dependencies."""
    lines = [line for line in detail.strip().splitlines() if DEPENDENCY_FOLDER not in line]
    rows = [
        line if len(line) <= MAX_LINE_CHARACTERS else f"{line[:MAX_LINE_CHARACTERS]}…"
        for line in lines[-MAX_DETAIL_LINES:]
    ]
    return rows if len(lines) <= MAX_DETAIL_LINES else ["…", *rows]


def format_scores(report: EvaluationReport) -> str:
    """Return the checks and scores in one line, and whether a model was called; empty if there are none."""
    checks = report.evaluation.checks
    passed = sum(check.passed for check in checks)
    parts = [f"{passed} of {format_count(len(checks), 'check passes', 'checks pass')}"] if checks else []
    parts += [f"{score.dimension} {score.value:.2f}" for score in report.evaluation.scores]
    return " · ".join([*parts, *(() if report.used_model or not parts else ["no model was called"])])


def format_markdown(report: EvaluationReport) -> str:
    """Return a page for a pull request or a job's summary."""
    state = "✅ accepted" if report.is_accepted else "❌ not accepted"
    parts = [f"## OpenKoi: {state}", f"{escape_markdown(report.subject)}: {escape_markdown(report.reason)}"]
    if report.issues:
        rows = "\n".join(
            f"| {SIGNS[one.finding.severity]} {one.id} | {format_code(one.location)} | {format_cell(one)} |"
            for one in report.issues
        )
        parts.append(f"| | where | finding |\n|---|---|---|\n{rows}")
    parts += [escape_markdown(format_scores(report))] if format_scores(report) else []
    parts += ["\n".join(f"- {escape_markdown(warning)}" for warning in report.warnings)] if report.warnings else []
    return "\n\n".join(parts)


def format_cell(issue: NumberedFinding) -> str:
    """Return the text of a finding as a table cell."""
    fix = f"<br>→ {escape_markdown(issue.finding.fix)}" if issue.finding.fix else ""
    return f"{escape_markdown(issue.finding.title)}{fix}"


def format_code(text: str) -> str:
    """Return a location as inline code."""
    clean = " ".join(text.replace("`", "'").replace("|", "¦").split())
    return f"`{clean}`" if clean else ""


def escape_markdown(text: str) -> str:
    """Return words without markup, in one line."""
    return MARKUP.sub(r"\\\1", " ".join(text.split()))
