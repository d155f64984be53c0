"""What a new entry does to those that are there: nothing is rewritten, everything is a delta that code decides on.

A number, a name or a negation that differs is never a duplicate; where two such entries are about the same thing, the
newer one that was verified ends the validity of the older.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from openkoi_hookspecs import Standing

from .entry import Entry, Trust, put_away
from .words import PLAIN, Tongue, agreed, alike, details, differ, frame, kindred, opposed, overlap, terms

SAME = 0.8
SAME_OF_SUBJECT = 0.45
SAME_OF_NAME = 0.25
RELATED = 0.6
SAME_TOPIC = 0.6
PROOFS, TASKS = 12, 12
TELLING = 5
KINDRED = 0.4
DISMISSED = "dismissed"
QUARANTINED = "quarantined"


def merged(
    entries: Iterable[Entry], new: Entry, now: str, blamed: Collection[str] = (), *, tongue: Tongue = PLAIN
) -> list[Entry]:
    """Return the entries that change: the new one or the one it adds evidence to, and those that it ends.

    ``blamed`` entries were shown to the run that taught this, and are about what went wrong in it; ``tongue`` is
    how people speak in the project.
    """
    near = [one for one in entries if one.scope != "project" or one.project == new.project]
    twin = closest(near, new, tongue)
    kept = reinforced(twin, new, now) if twin else new
    by = Taught(new, blamed, tongue)
    ended = [(one, fate(one, kept, by)) for one in near if one is not twin and one.live]
    return [kept, *(put_away(one, now, f"{why} {kept.id}", by=kept.id) for one, why in ended if why)]


@dataclass(frozen=True, slots=True)
class Taught:
    """What a run taught, the entries to blame for what went wrong in it, and how people speak there."""

    seen: Entry
    blamed: Collection[str]
    tongue: Tongue


def closest(entries: Iterable[Entry], new: Entry, tongue: Tongue) -> Entry | None:
    """The entry that says the same, a live one before one that was put away."""
    twins = [one for one in entries if one.id == new.id or same(one, new, tongue)]
    return max(twins, key=lambda one: (one.live, one.id == new.id, alike(one.text, new.text)), default=None)


def fate(old: Entry, kept: Entry, by: Taught) -> str:
    """What becomes of an older entry beside one that is kept: why it ends, or nothing."""
    if ends(kept, old, by):
        return "contradicted by"
    local = old.scope == kept.scope == "project" and not old.pinned
    return "the same as" if local and kept.live and old.trust <= kept.trust and same(old, kept, by.tongue) else ""


def same(one: Entry, new: Entry, tongue: Tongue = PLAIN) -> bool:
    """Whether two entries say the same in other words."""
    if (one.kind == "anti_pattern") != (new.kind == "anti_pattern") or differ(one.stance, new.stance):
        return False
    likeness, named = alike(one.text, new.text), bool(details(one.stance).identifiers)
    if about_the_same(one, new, tongue):
        return named or likeness >= SAME_OF_SUBJECT or not opposed(one.stance, new.stance, tongue)
    if likeness >= (SAME_OF_NAME if named else SAME):
        return True
    return not apart(one.own, new.own) and (telling(one.stance) if named else agreed(one.stance, new.stance, tongue))


def telling(stance: str) -> bool:
    """Whether a name in an advice says by itself what it is about: it is no short or plain word."""
    return any(len(name) >= TELLING for name in details(stance).identifiers)


def apart(mine: Collection[str], theirs: Collection[str]) -> bool:
    """Whether two texts speak of different things, by the words that each has of its tasks."""
    return bool(mine and theirs) and overlap(mine, theirs, {}) < SAME_TOPIC


def about_the_same(one: Entry, other: Entry, tongue: Tongue = PLAIN) -> bool:
    """Whether two entries are about one thing: one kind of finding in one place, and no two topics of it; or one check.

    Many things are found by one rule, unless it names the thing itself; and where there is no rule, a title is said in
    other words each time.
    """
    if one.check and other.check:
        return one.check == other.check
    mine, theirs = one.topic, other.topic
    for rule, _ in subjects(one) & subjects(other):
        if not (mine and theirs) or terms(rule) & (mine | theirs) or overlap(mine, theirs, {}) >= SAME_TOPIC:
            return True
    if ruled(one) and ruled(other):
        return False
    if overlap(mine, theirs, {}) >= SAME_TOPIC:
        return True
    return kindred(one.text, other.text, tongue) >= KINDRED and not apart(one.own, other.own)


def contrary(one: Entry, other: Entry) -> bool:
    """Whether both cannot be followed: other advice, or one warns of the very thing that the other advises.

    To warn of one thing and to advise another goes together, and so do two warnings.
    """
    warns, advises = sorted((one, other), key=lambda entry: entry.kind != "anti_pattern")
    if advises.kind == "anti_pattern":
        return False
    if warns.kind != "anti_pattern":
        return differ(one.stance, other.stance)
    named = details(warns.stance).identifiers
    if named:
        return bool(named & details(advises.stance).identifiers)
    return alike(warns.stance, advises.stance) >= SAME_OF_SUBJECT


def advises(*entries: Entry) -> bool:
    """Whether entries say what to do rather than what not to do."""
    return all(entry.kind != "anti_pattern" for entry in entries)


def opinion(entry: Entry) -> bool:
    """Whether an entry was never borne out: by a check, on a finding that is known, or by a person."""
    return entry.trust < Trust.CHECK or (entry.trust is Trust.CHECK and not subjects(entry))


def subjects(entry: Entry) -> set[tuple[str, str]]:
    """What an entry is about: the rule of a finding, or where there is none its title; and the file."""
    return {(proof.rule or proof.finding, proof.where) for proof in entry.proofs if proof.rule or proof.finding}


def ruled(entry: Entry) -> bool:
    """Whether it is known by which rule its subject is found."""
    return any(proof.rule for proof in entry.proofs)


def reinforced(known: Entry, new: Entry, now: str) -> Entry:
    """Add the evidence of the same thing seen again. What a person dismissed stays away, and nothing gains trust."""
    proofs = tuple(dict.fromkeys((*known.proofs, *new.proofs)))
    proofs = proofs if len(proofs) <= PROOFS else (proofs[0], *proofs[1 - PROOFS :])
    more = replace(
        known,
        proofs=proofs,
        when=tuple(dict.fromkeys((*known.when, *new.when)))[-TASKS:],
        keys=tuple(dict.fromkeys((*known.keys, *new.keys))),
        base=known.base if new.quoted else max(known.base, new.base),
        reason="seen again",
    )
    if known.live:
        proved = new.standing is Standing.ACTIVE and not known.quoted
        return replace(more, standing=Standing.ACTIVE) if proved else more
    if new.standing is not Standing.ACTIVE or known.reason.startswith(DISMISSED):
        return replace(more, reason=known.reason)
    return replace(more, standing=Standing.PROBATION, since=now, until="", superseded_by="", reason="seen again")


def ends(new: Entry, old: Entry, by: Taught) -> bool:
    """Whether a new entry ends the validity of an older one: it was verified, and they cannot both hold."""
    seen, blamed = by.seen, by.blamed
    if seen.standing is not Standing.ACTIVE or old.pinned or seen.trust < min(old.trust, Trust.CHECK):
        return False
    if old.trust is Trust.PERSON and seen.trust is not Trust.PERSON:
        return False
    other = advises(old, new) and opposed(old.stance, new.stance, by.tongue)
    if not (contrary(old, new) or (other and old.id in blamed)):
        return False
    if old.id in blamed and opinion(old) and not opinion(seen):
        return True
    speaks_of_it = not old.when and opinion(old) and overlap(terms(old.text), new.topic, {}) >= SAME_TOPIC
    if old.id in blamed:
        return speaks_of_it or about_the_same(old, new, by.tongue)
    related = alike(frame(old.stance), frame(new.stance)) >= RELATED
    return related and (speaks_of_it or about_the_same(old, new))
