"""Format what the user wants to know at the end of a run: changed files, what the answer rests on, what to run next."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from openkoi_hookspecs import NextAction, StopReason
from openkoi_runlog.report import RunReport, Verdict, check_claims, format_count, truncate_line

if TYPE_CHECKING:
    from openkoi_terminal import Style

MAX_FILES = 10
MAX_CLAIMS = 8
MAX_CLAIM_CHARACTERS, MAX_BASIS_CHARACTERS = 90, 100
SIGNS = {Verdict.SUPPORTED: ("✓", "green"), Verdict.CONTRADICTED: ("✗", "red"), Verdict.UNVERIFIED: ("?", "yellow")}


def has_summary(report: RunReport) -> bool:
    """Return whether there is anything to show at the end: a change, or a claim."""
    return bool(report.changed_files or (report.completion and check_claims(report)))


def format_changes(report: RunReport) -> Iterator[str]:
    """Yield the changed files with the number of lines added and removed; of an interrupted run, their names."""
    from openkoi_terminal import count_changes, strip_controls

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


def format_diff(report: RunReport, style: "Style") -> Sequence[str]:
    """Return the diff for a terminal, folded."""
    from openkoi_terminal import render_diff

    work = report.best.work
    return render_diff(work.diff, style, more=f"openkoi diff {report.run[:8]}") if work and work.diff else ()


def format_claims(report: RunReport, style: "Style") -> Iterator[str]:
    """Yield each claim of the answer with what it rests on; those that nothing supports are marked."""
    from openkoi_terminal import strip_controls

    claims = check_claims(report) if report.completion else ()
    if not claims:
        return
    yield "  What the answer claims, and what it rests on:"
    for one in claims[:MAX_CLAIMS]:
        sign, colour = SIGNS[one.verdict]
        verdict = "" if one.verdict is Verdict.SUPPORTED else f"{one.verdict}: "
        text = truncate_line(strip_controls(one.text), MAX_CLAIM_CHARACTERS)
        basis = truncate_line(strip_controls(one.basis), MAX_BASIS_CHARACTERS)
        yield f"    {style.mark(sign, colour)} {text} {style.mark(f'({verdict}{basis})', 'dim')}"
    if len(claims) > MAX_CLAIMS:
        yield f"    and {len(claims) - MAX_CLAIMS} more"


def format_next(report: RunReport) -> str:
    """Return the commands that may come next; empty for a run that changed nothing and left nothing to do."""
    commands = list_next(report)
    return f"  Next: {', '.join(commands)}" if commands else ""


def list_next(report: RunReport) -> list[str]:
    """Return the commands that make sense after a run, the most useful ones first."""
    id, ended = report.run[:8], report.completion
    if not report.run:
        return []
    waits = ended is not None and report.find_iteration(-1).facts.end is StopReason.PERSON
    action = ended.decision.action if ended else None
    resumable = ended is None or waits or action is NextAction.ESCALATE or ended.decision.unjudged
    # of a run that was cut short it is not known yet what it changed; undo finds out
    changed = bool(report.changed_files) or (ended is None and bool(report.view.checkpoints.before))
    return [
        *(["openkoi approve"] if waits else []),
        *([f"openkoi resume {id}"] if resumable else []),
        *([f"openkoi diff {id}", f"openkoi undo {id}"] if changed else []),
        *(['openkoi -c "TEXT" to follow up'] if changed and not resumable else []),
    ]
