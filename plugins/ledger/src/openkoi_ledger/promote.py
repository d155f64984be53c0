"""What helped in two projects of a person, and is contradicted in none, holds in all of them. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from openkoi_hookspecs import LearningStatus

from .book import Book
from .credit import counts
from .entry import Entry, name_of, put_away
from .merge import TASKS
from .sameness import about_the_same, contrary, opinion, same

REASON = "helped in {} projects"
PROVED = 3


def promoted(book: Book, proved: Entry, now: str) -> list[Entry]:
    """The entry that holds everywhere from now on, and those of single projects that it replaces; or nothing."""
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


def taken_home(entries: Iterable[Entry], ended: Entry, project: str, now: str) -> Iterator[Entry]:
    """What held everywhere until a ``project`` contradicted it holds again where it was borne out."""
    if ended.scope != "user":
        return
    for one in entries:
        if one.superseded_by == ended.id and one.scope == "project" and one.project != project:
            why = f"{ended.id} was contradicted in another project"
            yield replace(one, standing=LearningStatus.ACTIVE, until="", superseded_by="", since=now, reason=why)


def local(entry: Entry) -> bool:
    """Whether an entry was borne out in its project, and nobody has pinned it there."""
    return entry.scope == "project" and entry.live and not (entry.pinned or entry.read or opinion(entry))


def helps(book: Book, entry: Entry) -> bool:
    """Whether an entry has helped several times in its project, and done no harm."""
    known = counts(book.uses(entry.id))
    return known.helpful >= PROVED and not known.harmful
