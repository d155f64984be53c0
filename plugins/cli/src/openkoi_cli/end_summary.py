"""Suggest commands to run after a run."""

from openkoi_hookspecs import NextAction, StopReason
from openkoi_runlog.report import RunReport


def format_next(report: RunReport) -> str:
    """Return the commands to suggest; empty if the run changed nothing and left nothing to do."""
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
