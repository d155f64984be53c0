"""Learn from an undo: what the user reverted; and forget what came from messages that the user rewound."""

from collections.abc import Iterator
from dataclasses import replace

from openkoi_hookspecs import LearningStatus

from .entry import REWOUND, EntryEvidence, LearningEntry, Trust, archive_entry, entry_id, shorten
from .state import LearningState, RunExposure

UNDONE = "undone by the user"
MAX_TASK_CHARACTERS = 110


def warn_of_undone(state: LearningState, project: str, now: str) -> Iterator[LearningEntry]:
    """Yield a warning for each undone run of a project without one."""
    for run in state.projects.get(project, ()):
        visit = state.exposures[run]
        if visit.undone and make_warning(visit, now).id not in state.entries:
            yield make_warning(visit, now)


def archive_redone(state: LearningState, project: str, now: str) -> Iterator[LearningEntry]:
    """Archive the entries about runs that the user has redone."""
    for known in state.entries.values():
        if known.is_live and known.project == project and known.proofs and known.proofs[0].finding == UNDONE:
            visit = state.exposures.get(known.proofs[0].run)
            if visit and not visit.undone:
                yield archive_entry(known, now, "the user redid the task")


def follow_rewinds(state: LearningState, now: str) -> Iterator[LearningEntry]:
    """Archive the entries that come only from rewound runs, and restore those whose rewind was undone."""
    for known in state.entries.values():
        if is_rewound(known, state):
            if known.is_live:
                yield archive_entry(known, now, REWOUND)
        elif known.reason == REWOUND and (before := state.before_rewind.get(known.id)):
            yield before


def is_rewound(entry: LearningEntry, state: LearningState) -> bool:
    """Return whether all runs that taught an entry were removed from their conversations."""
    runs = {proof.run for proof in entry.proofs}
    return bool(runs) and runs <= state.rewound


def make_warning(visit: RunExposure, now: str) -> LearningEntry:
    """Return an entry that warns about an undone task."""
    task = shorten(visit.selection.task, MAX_TASK_CHARACTERS)
    text = f'The user undid the changes for "{task}". Do not repeat them: take another approach, or ask first.'
    proof = EntryEvidence(run=visit.run, finding=UNDONE)
    entry = LearningEntry(entry_id("anti_pattern", visit.run, visit.selection.project), "anti_pattern", text)
    return replace(
        entry,
        when=(visit.selection.task,),
        project=visit.selection.project,
        origin="user",
        trust=Trust.PERSON,
        proofs=(proof,),
        base=0.9,
        standing=LearningStatus.ACTIVE,
        since=now,
    )
