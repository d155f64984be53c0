"""A verdict for people: lines for a terminal, and Markdown for a page. Pure."""

import re
from collections.abc import Iterator

from openkoi_hookspecs import Severity

from .verdict import Issue, Verdict, counted

LINES = 8
WIDTH = 200
FOREIGN = "/node_modules/"
SIGNS = {Severity.BLOCKER: "🛑", Severity.IMPORTANT: "⚠️", Severity.SUGGESTION: "💡"}
MARKUP = re.compile(r"([\\`*_\[\]<>|#])")


def as_text(verdict: Verdict) -> str:
    """Lines for a terminal: what it came to, each finding, the scores."""
    lines = [headline(verdict)]
    for issue in verdict.issues:
        lines += ["", *told(issue)]
    return "\n".join([*lines, *(["", figures(verdict)] if figures(verdict) else [])])


def headline(verdict: Verdict) -> str:
    """What it came to, in one line."""
    return f"{'✓ accepted' if verdict.accepted else '✗ not accepted'}: {verdict.subject}: {verdict.reason}"


def told(issue: Issue) -> Iterator[str]:
    """One finding, its place first so that it can be followed."""
    finding = issue.finding
    yield f"{issue.id} {finding.severity}  {issue.where}".rstrip()
    yield f"  {finding.title}"
    yield from (f"    {line}" for line in shortened(finding.detail))
    if finding.fix:
        yield f"  → {finding.fix}"


def shortened(detail: str) -> list[str]:
    """The end of what is told in detail, where the reason stands, without the steps inside of others' packages."""
    lines = [line for line in detail.strip().splitlines() if FOREIGN not in line]
    shown = [line if len(line) <= WIDTH else f"{line[:WIDTH]}…" for line in lines[-LINES:]]
    return shown if len(lines) <= LINES else ["…", *shown]


def figures(verdict: Verdict) -> str:
    """Checks and scores in a line, and whether these alone decided; empty without any."""
    checks = verdict.evaluation.checks
    passed = sum(check.passed for check in checks)
    said = [f"{passed} of {counted(len(checks), 'check passes', 'checks pass')}"] if checks else []
    said += [f"{score.dimension} {score.value:.2f}" for score in verdict.evaluation.scores]
    return " · ".join([*said, *(() if verdict.asked or not said else ["no model was asked"])])


def as_markdown(verdict: Verdict) -> str:
    """A page for a pull request or a job's summary."""
    state = "✅ accepted" if verdict.accepted else "❌ not accepted"
    parts = [f"## OpenKoi: {state}", f"{plain(verdict.subject)}: {plain(verdict.reason)}"]
    if verdict.issues:
        rows = "\n".join(
            f"| {SIGNS[one.finding.severity]} {one.id} | {code(one.where)} | {cell(one)} |" for one in verdict.issues
        )
        parts.append(f"| | where | finding |\n|---|---|---|\n{rows}")
    parts += [plain(figures(verdict))] if figures(verdict) else []
    parts += ["\n".join(f"- {plain(warning)}" for warning in verdict.warnings)] if verdict.warnings else []
    return "\n\n".join(parts)


def cell(issue: Issue) -> str:
    """What a finding says, in a cell."""
    fix = f"<br>→ {plain(issue.finding.fix)}" if issue.finding.fix else ""
    return f"{plain(issue.finding.title)}{fix}"


def code(text: str) -> str:
    """A place, as it is written."""
    clean = " ".join(text.replace("`", "'").replace("|", "¦").split())
    return f"`{clean}`" if clean else ""


def plain(text: str) -> str:
    """Words that are no markup, in one line."""
    return MARKUP.sub(r"\\\1", " ".join(text.split()))
