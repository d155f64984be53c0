"""Promote an entry to all projects if it helped in two and was contradicted in none."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from openkoi_hookspecs import LearningStatus

from .effectiveness import count_outcomes
from .entry import SAME, LearningEntry, archive_entry, entry_id
from .merge import MAX_TASKS
from .sameness import Relation, compare
from .state import LearningState
from .thresholds import MIN_RUNS

REASON = "helped in {} projects"
REPLACED = "replaced by {}, which applies to all projects"


def promote_entry(state: LearningState, proved: LearningEntry, now: str) -> list[LearningEntry]:
    """Return the global entry, and the project entries it replaces, or nothing."""
    if not (is_confirmed_local(proved) and has_helped(state, proved)):
        return []
    others = [one for one in state.entries.values() if is_confirmed_local(one) and one.project != proved.project]
    relations = [compare(one, proved) for one in others]
    twins = [one for one, relation in zip(others, relations, strict=True) if relation is Relation.DUPLICATE]
    if not twins or not all(has_helped(state, one) for one in twins):
        return []
    if any(relation.may_contradict for relation in relations):
        return []
    confirmed = [proved, *twins]
    promoted = replace(
        proved,
        id=entry_id(proved.kind, proved.text, ""),
        scope="user",
        project="",
        category="",
        when=tuple(dict.fromkeys(task for one in confirmed for task in one.when))[-MAX_TASKS:],
        keys=tuple(dict.fromkeys(key for one in confirmed for key in one.keys)),
        proofs=tuple(dict.fromkeys(proof for one in confirmed for proof in one.proofs)),
        base=max(one.base for one in confirmed),
        proved=all(one.proved for one in confirmed),
        since=now,
        reason=REASON.format(len({one.project for one in confirmed})),
    )
    return [
        promoted,
        *(archive_entry(one, now, REPLACED.format(promoted.id), by=promoted.id) for one in confirmed),
    ]


def restore_local(
    entries: Iterable[LearningEntry], ended: LearningEntry, project: str, now: str
) -> Iterator[LearningEntry]:
    """Yield the project entries to restore after a ``project`` contradicted the global one.

    If the global one was only reworded, they are replaced by what it says now.
    """
    if ended.scope != "user":
        return
    for one in entries:
        if one.superseded_by == ended.id and one.scope == "project":
            if ended.reason.startswith(SAME):
                yield archive_entry(one, now, REPLACED.format(ended.superseded_by), by=ended.superseded_by)
            elif one.project != project:
                why = f"restored because {ended.id}, which replaced it, was contradicted in another project"
                yield replace(one, standing=LearningStatus.ACTIVE, until="", superseded_by="", since=now, reason=why)


def is_confirmed_local(entry: LearningEntry) -> bool:
    """Return whether an entry was confirmed in its project, and is not pinned there."""
    return entry.scope == "project" and entry.is_live and not (entry.pinned or entry.is_from_source or entry.is_opinion)


def has_helped(state: LearningState, entry: LearningEntry) -> bool:
    """Return whether an entry has helped several times in its project, and never harmed."""
    known = count_outcomes(state.outcomes(entry.id))
    return known.helpful >= MIN_RUNS and not known.harmful
