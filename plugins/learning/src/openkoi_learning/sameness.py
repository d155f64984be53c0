"""Whether two entries are about one thing, say the same of it, or cannot both be followed. Pure; changes no entry.

A number, a name or a negation that differs is never a duplicate.
"""

from collections.abc import Collection

from .entry import LearningEntry, Trust
from .words import PLAIN, Tongue, agree, alike, contradict, details, differ, overlap, terms, topic_similarity

SAME = 0.8
SAME_OF_SUBJECT = 0.45
SAME_OF_NAME = 0.25
SAME_TOPIC = 0.6
TELLING = 5
KINDRED = 0.4


def same(one: LearningEntry, new: LearningEntry, tongue: Tongue = PLAIN) -> bool:
    """Whether two entries say the same in other words."""
    if (one.kind == "anti_pattern") != (new.kind == "anti_pattern") or differ(one.stance, new.stance):
        return False
    likeness, named = alike(one.text, new.text), bool(details(one.stance).identifiers)
    if about_the_same(one, new, tongue):
        return named or likeness >= SAME_OF_SUBJECT or not contradict(one.stance, new.stance, tongue)
    if likeness >= (SAME_OF_NAME if named else SAME):
        return True
    return not apart(one.own, new.own) and (telling(one.stance) if named else agree(one.stance, new.stance, tongue))


def about_the_same(one: LearningEntry, other: LearningEntry, tongue: Tongue = PLAIN) -> bool:
    """Whether two entries are about one thing: one kind of finding in one place, and no two topics of it; or one check.

    Many things are found by one rule, unless it names the thing itself; and where there is no rule, a title is said in
    other words each time.
    """
    if one_check(one, other, tongue):
        return True
    if one.check and other.check and one.check != other.check:
        return False
    mine, theirs = one.topic, other.topic
    for rule, _ in subjects(one) & subjects(other):
        if not (mine and theirs) or terms(rule) & (mine | theirs) or overlap(mine, theirs, {}) >= SAME_TOPIC:
            return True
    if has_known_rule(one) and has_known_rule(other):
        return False
    if overlap(mine, theirs, {}) >= SAME_TOPIC:
        return True
    return topic_similarity(one.text, other.text, tongue) >= KINDRED and not apart(one.own, other.own)


def one_check(one: LearningEntry, other: LearningEntry, tongue: Tongue) -> bool:
    """Return whether both were seen to fix one check about one thing."""
    return one.check == other.check and one.check in tongue.checks


def contrary(one: LearningEntry, other: LearningEntry) -> bool:
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


def telling(stance: str) -> bool:
    """Return whether a name in an advice identifies its subject: it is neither short nor common."""
    return any(len(name) >= TELLING for name in details(stance).identifiers)


def apart(mine: Collection[str], theirs: Collection[str]) -> bool:
    """Whether two texts speak of different things, by the words that each has of its tasks."""
    return bool(mine and theirs) and overlap(mine, theirs, {}) < SAME_TOPIC


def subjects(entry: LearningEntry) -> set[tuple[str, str]]:
    """What an entry is about: the rule of a finding, or where there is none its title; and the file."""
    return {(proof.rule or proof.finding, proof.where) for proof in entry.proofs if proof.rule or proof.finding}


def has_known_rule(entry: LearningEntry) -> bool:
    """Return whether the rule that finds its subject is known."""
    return any(proof.rule for proof in entry.proofs)


def opinion(entry: LearningEntry) -> bool:
    """Whether an entry was never borne out: by a check, on a finding that is known, or by a person."""
    return entry.trust < Trust.CHECK or (entry.trust is Trust.CHECK and not subjects(entry))
