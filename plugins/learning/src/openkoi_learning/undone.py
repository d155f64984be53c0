"""Learn from changes that the user reverted."""

from collections.abc import Iterator
from dataclasses import replace

from openkoi_hookspecs import LearningStatus

from .book import LearningState, Visit
from .entry import EntryEvidence, LearningEntry, Trust, name_of, put_away, short

UNDONE = "undone by a person"
LONGEST = 110


def taken_back(book: LearningState, project: str, now: str) -> Iterator[LearningEntry]:
    """Return an entry for each undone run of a project without one."""
    for run in book.projects.get(project, ()):
        visit = book.visits[run]
        if visit.undone and warning(visit, now).id not in book.entries:
            yield warning(visit, now)


def taken_up(book: LearningState, project: str, now: str) -> Iterator[LearningEntry]:
    """Archive the entries about runs that the user has redone."""
    for known in book.entries.values():
        if known.live and known.project == project and known.proofs and known.proofs[0].finding == UNDONE:
            visit = book.visits.get(known.proofs[0].run)
            if visit and not visit.undone:
                yield put_away(known, now, "taken up again by a person")


def warning(visit: Visit, now: str) -> LearningEntry:
    """What a model should know when it meets such a task again."""
    task = short(visit.told.task, LONGEST)
    text = f'The user undid what was done for "{task}". Do not repeat it: take another approach, or ask first.'
    proof = EntryEvidence(run=visit.run, finding=UNDONE)
    entry = LearningEntry(name_of("anti_pattern", visit.run, visit.told.project), "anti_pattern", text)
    return replace(
        entry,
        when=(visit.told.task,),
        project=visit.told.project,
        origin="user",
        trust=Trust.PERSON,
        proofs=(proof,),
        base=0.9,
        standing=LearningStatus.ACTIVE,
        since=now,
    )
