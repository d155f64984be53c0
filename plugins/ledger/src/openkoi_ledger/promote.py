"""What was borne out in two projects of a person, and contradicted in none, holds in all of them. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from openkoi_hookspecs import Standing

from .entry import Entry, name_of, put_away
from .merge import TASKS, about_the_same, contrary, opinion, same

REASON = "borne out in {} projects"


def promoted(entries: Iterable[Entry], new: Entry, now: str) -> list[Entry]:
    """The entry that holds everywhere from now on, and those of single projects that it replaces; or nothing."""
    if not local(new):
        return []
    others = [one for one in entries if local(one) and one.project != new.project]
    twins = [one for one in others if same(one, new)]
    if not twins or any(contrary(one, new) and about_the_same(one, new) for one in others):
        return []
    told = [new, *twins]
    whole = replace(
        new,
        id=name_of(new.kind, new.text, ""),
        scope="user",
        project="",
        category="",
        when=tuple(dict.fromkeys(task for one in told for task in one.when))[-TASKS:],
        keys=tuple(dict.fromkeys(key for one in told for key in one.keys)),
        proofs=tuple(dict.fromkeys(proof for one in told for proof in one.proofs)),
        base=max(one.base for one in told),
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
            yield replace(one, standing=Standing.ACTIVE, until="", superseded_by="", since=now, reason=why)


def local(entry: Entry) -> bool:
    """Whether an entry was borne out in its project, and nobody has pinned it there."""
    return entry.scope == "project" and entry.live and not (entry.pinned or entry.quoted or opinion(entry))
