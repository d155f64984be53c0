"""Compare two entries: whether they are about one thing, say the same, or contradict each other.

A number, a name or a negation that differs is never a duplicate.
"""

from collections.abc import Collection

from .entry import LearningEntry, Trust
from .text_similarity import (
    EMPTY_VOCABULARY,
    Vocabulary,
    agree,
    contradict,
    details_differ,
    extract_details,
    stem_terms,
    topic_similarity,
    weighted_overlap,
    word_overlap,
)

# Shares of common words from which entries are the same, or about the same thing (estimates).
SAME = 0.8
SAME_OF_SUBJECT = 0.45
SAME_OF_NAME = 0.25
SAME_TOPIC = 0.6
MIN_NAME_CHARACTERS = 5
SAME_TOPIC_TEXT = 0.4


def is_same(one: LearningEntry, new: LearningEntry, vocabulary: Vocabulary = EMPTY_VOCABULARY) -> bool:
    """Return whether two entries say the same in other words."""
    if (one.kind == "anti_pattern") != (new.kind == "anti_pattern") or details_differ(one.stance, new.stance):
        return False
    likeness, named = word_overlap(one.text, new.text), bool(extract_details(one.stance).identifiers)
    if about_the_same(one, new, vocabulary):
        return named or likeness >= SAME_OF_SUBJECT or not contradict(one.stance, new.stance, vocabulary)
    if likeness >= (SAME_OF_NAME if named else SAME):
        return True
    return not differ_in_topic(one.own_words, new.own_words) and (
        has_specific_name(one.stance) if named else agree(one.stance, new.stance, vocabulary)
    )


def about_the_same(one: LearningEntry, other: LearningEntry, vocabulary: Vocabulary = EMPTY_VOCABULARY) -> bool:
    """Return whether two entries are about one thing: one kind of finding in one place with one topic, or one check.

    One rule finds many things, unless it names the thing itself; and titles without a rule are worded differently each
    time.
    """
    if one_check(one, other, vocabulary):
        return True
    if one.check and other.check and one.check != other.check:
        return False
    mine, theirs = one.topic, other.topic
    for rule, _ in subjects(one) & subjects(other):
        if (
            not (mine and theirs)
            or stem_terms(rule) & (mine | theirs)
            or weighted_overlap(mine, theirs, {}) >= SAME_TOPIC
        ):
            return True
    if has_known_rule(one) and has_known_rule(other):
        return False
    if weighted_overlap(mine, theirs, {}) >= SAME_TOPIC:
        return True
    return topic_similarity(one.text, other.text, vocabulary) >= SAME_TOPIC_TEXT and not differ_in_topic(
        one.own_words, other.own_words
    )


def one_check(one: LearningEntry, other: LearningEntry, vocabulary: Vocabulary) -> bool:
    """Return whether both were seen to fix one check about one thing."""
    return one.check == other.check and one.check in vocabulary.checks


def is_contrary(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether two entries cannot both be followed: other advice, or one warns of what the other advises.

    A warning and an advice about different things go together, and so do two warnings.
    """
    warns, advises = sorted((one, other), key=lambda entry: entry.kind != "anti_pattern")
    if advises.kind == "anti_pattern":
        return False
    if warns.kind != "anti_pattern":
        return details_differ(one.stance, other.stance)
    named = extract_details(warns.stance).identifiers
    if named:
        return bool(named & extract_details(advises.stance).identifiers)
    return word_overlap(warns.stance, advises.stance) >= SAME_OF_SUBJECT


def has_specific_name(stance: str) -> bool:
    """Return whether a name in an advice identifies its subject: it is neither short nor common."""
    return any(len(name) >= MIN_NAME_CHARACTERS for name in extract_details(stance).identifiers)


def differ_in_topic(mine: Collection[str], theirs: Collection[str]) -> bool:
    """Return whether two texts are about different things, by their words that occur in tasks."""
    return bool(mine and theirs) and weighted_overlap(mine, theirs, {}) < SAME_TOPIC


def subjects(entry: LearningEntry) -> set[tuple[str, str]]:
    """Return what an entry is about: a finding's rule, or else its title; and the file."""
    return {(proof.rule or proof.finding, proof.where) for proof in entry.proofs if proof.rule or proof.finding}


def has_known_rule(entry: LearningEntry) -> bool:
    """Return whether the rule that finds its subject is known."""
    return any(proof.rule for proof in entry.proofs)


def is_opinion(entry: LearningEntry) -> bool:
    """Return whether an entry was never confirmed: neither by a check on a known finding, nor by the user."""
    return entry.trust < Trust.CHECK or (entry.trust is Trust.CHECK and not subjects(entry))
