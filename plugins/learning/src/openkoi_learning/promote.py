"""Promote what helped in two projects, and is contradicted in none, to all of them."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from openkoi_hookspecs import LearningStatus

from .book import LearningState
from .credit import counts
from .entry import LearningEntry, name_of, put_away
from .merge import TASKS
from .sameness import about_the_same, contrary, opinion, same

REASON = "helped in {} projects"
PROVED = 3


def promote_entry(book: LearningState, proved: LearningEntry, now: str) -> list[LearningEntry]:
    """Return the global entry, and the project entries it replaces, or nothing."""
    if not (local(proved) and helps(book, proved)):
        return []
    others = [one for one in book.entries.values() if local(one) and one.project != proved.project]
    twins = [one for one in others if same(one, proved)]
    if not twins or not all(helps(book, one) for one in twins):
        return []
    if any(contrary(one, proved) and about_the_same(one, proved) for one in others):
        return []
    told = [proved, *twins]
    whole = replace(
        proved,
        id=name_of(proved.kind, proved.text, ""),
        scope="user",
        project="",
        category="",
        when=tuple(dict.fromkeys(task for one in told for task in one.when))[-TASKS:],
        keys=tuple(dict.fromkeys(key for one in told for key in one.keys)),
        proofs=tuple(dict.fromkeys(proof for one in told for proof in one.proofs)),
        base=max(one.base for one in told),
        proved=all(one.proved for one in told),
        since=now,
        reason=REASON.format(len({one.project for one in told})),
    )
    return [whole, *(put_away(one, now, f"holds everywhere as {whole.id}", by=whole.id) for one in told)]


def taken_home(
    entries: Iterable[LearningEntry], ended: LearningEntry, project: str, now: str
) -> Iterator[LearningEntry]:
    """What held everywhere until a ``project`` contradicted it holds again where it was borne out."""
    if ended.scope != "user":
        return
    for one in entries:
        if one.superseded_by == ended.id and one.scope == "project" and one.project != project:
            why = f"{ended.id} was contradicted in another project"
            yield replace(one, standing=LearningStatus.ACTIVE, until="", superseded_by="", since=now, reason=why)


def local(entry: LearningEntry) -> bool:
    """Return whether an entry was confirmed in its project, and is not pinned there."""
    return entry.scope == "project" and entry.live and not (entry.pinned or entry.read or opinion(entry))


def helps(book: LearningState, entry: LearningEntry) -> bool:
    """Whether an entry has helped several times in its project, and done no harm."""
    known = counts(book.uses(entry.id))
    return known.helpful >= PROVED and not known.harmful
