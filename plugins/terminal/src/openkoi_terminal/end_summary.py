"""Format what the user wants to know at the end of a run: changed files, the diff, and the evidence for the answer."""

from collections.abc import Iterator, Sequence

from openkoi_base.counts import format_count
from openkoi_runlog.report import RunReport, Verdict, check_claims, truncate_line

from .diffs import count_changes, render_diff
from .safe_text import strip_controls
from .style import Style

MAX_FILES = 10
MAX_CLAIMS = 8
MAX_CLAIM_CHARACTERS, MAX_BASIS_CHARACTERS = 90, 100
SIGNS = {Verdict.SUPPORTED: ("✓", "green"), Verdict.CONTRADICTED: ("✗", "red"), Verdict.UNVERIFIED: ("?", "yellow")}


def format_changes(report: RunReport) -> Iterator[str]:
    """Yield the changed files with the number of lines added and removed; for an interrupted run, only their names."""
    work = report.best.work
    counts = count_changes(work.diff) if work else ()
    rows = [one.text for one in counts] or [strip_controls(file) for file in report.changed_files]
    if not rows:
        return
    sums = f", +{sum(one.added for one in counts)} -{sum(one.removed for one in counts)}" if counts else ""
    yield f"  {format_count(len(rows), 'file')} changed{sums}"
    yield from (f"    {row}" for row in rows[:MAX_FILES])
    if len(rows) > MAX_FILES:
        yield f"    and {len(rows) - MAX_FILES} more"


def format_diff(report: RunReport, style: Style, *, more: str) -> Sequence[str]:
    """Return the diff for a terminal, folded; ``more`` is the command that shows the rest."""
    work = report.best.work
    return render_diff(work.diff, style, more=more) if work and work.diff else ()


def format_claims(report: RunReport, style: Style) -> Iterator[str]:
    """Yield each claim of the answer with its evidence; mark unsupported claims."""
    claims = check_claims(report) if report.completion else ()
    if not claims:
        return
    yield "  Claims in the answer, and the evidence for each:"
    for one in claims[:MAX_CLAIMS]:
        sign, colour = SIGNS[one.verdict]
        verdict = "" if one.verdict is Verdict.SUPPORTED else f"{one.verdict}: "
        text = truncate_line(strip_controls(one.text), MAX_CLAIM_CHARACTERS)
        basis = truncate_line(strip_controls(one.basis), MAX_BASIS_CHARACTERS)
        yield f"    {style.mark(sign, colour)} {text} {style.mark(f'({verdict}{basis})', 'dim')}"
    if len(claims) > MAX_CLAIMS:
        yield f"    and {len(claims) - MAX_CLAIMS} more"
