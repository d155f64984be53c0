"""Decide how two entries relate: ``compare`` does for all uses, and ``compare_finding`` for an entry and a finding.

Two findings of one evaluation are never one thing. A number, a name or a denial that differs is never a duplicate.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from enum import IntEnum

from openkoi_hookspecs import Finding

from .content import WorkLine, has_phrase, has_words, is_shown, read_line, terms_of
from .entry import FIXED_BY, FROM_FINDING, EntryEvidence, LearningEntry
from .entry_subject import (
    about_words,
    finding_names,
    finding_titles,
    places_of,
    rules_of,
    set_name,
    sets_one_of,
)
from .text_similarity import affirmed_text, details_differ, marked_names, word_overlap
from .thresholds import SAME_FINDING, SAME_WORDS, SIMILAR_SUBJECT

MARKS = " !\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~“”…"


class Relation(IntEnum):
    """How close two entries are: from SAME_SUBJECT on, only one of them can apply to a task."""

    DISTINCT = 0  # known to be about different things
    UNRELATED = 1  # nothing shows that they are about one thing
    SIMILAR = 2  # worded alike: about one thing, unless results confirm both
    SAME_SUBJECT = 3  # about one thing, with different advice
    COVERED = 4  # the first says nothing that the second does not advise
    DUPLICATE = 5  # the same advice about one thing

    @property
    def may_contradict(self) -> bool:
        """Whether both advise different things about what is, or may be, one subject."""
        return self in (Relation.SIMILAR, Relation.SAME_SUBJECT)


def compare(one: LearningEntry, other: LearningEntry) -> Relation:
    """Return how an entry relates to another one."""
    if one.id == other.id:
        return Relation.DUPLICATE
    if is_covered(one, other):
        return Relation.COVERED
    if found_together(one, other):
        return Relation.DISTINCT
    if is_duplicate(one, other):
        return Relation.DUPLICATE
    if set_different_names(one, other) or have_different_places(one, other):
        return Relation.DISTINCT
    if one.topic == other.topic and is_one_project(one, other):
        return Relation.SAME_SUBJECT
    if have_different_checks(one, other) or have_different_rules(one, other):
        return Relation.DISTINCT
    if is_one_finding_of_rule(one, other):
        return Relation.SAME_SUBJECT
    return Relation.SIMILAR if are_worded_alike(one, other) else Relation.UNRELATED


def compare_finding(entry: LearningEntry, finding: Finding, lines: Sequence[WorkLine]) -> Relation:
    """Return how an entry relates to a finding about these lines: to the entry that it would make, were it obeyed."""
    text = f"{finding.title} {finding.detail} {finding.fix}"
    words = terms_of(text)
    setting = {line.sets: line.text for line in lines if sets_one_of(line, words)}
    line = next(iter(setting.values())) if len(setting) == 1 else ""
    proof = EntryEvidence(
        run="", rule=finding.rule, where=finding.where, finding=text, diff="-", replaced=line, replacement=line
    )
    made = LearningEntry(
        "",
        "heuristic",
        text,
        advice=finding.fix or text,
        content=tuple(sorted(one for one in marked_names(text) if not is_shown((one,), lines))),
        subject=entry.subject if entry.check and entry.check == finding.rule else "",
        project=entry.project,
        origin=FROM_FINDING,
        proofs=(proof, replace(proof, finding=finding.title)),
    )
    return compare(entry, made)


def group_entries(entries: Iterable[LearningEntry]) -> Iterable[list[LearningEntry]]:
    """Group entries by subject: those with one topic, as far as they are not known to be about different things.

    Each is only compared with the first of a group. Merging gave entries about one subject the same topic.
    """
    topics = defaultdict[str, list[list[LearningEntry]]](list)
    for entry in entries:
        groups = topics[entry.topic]
        group = next((one for one in groups if compare(one[0], entry) >= Relation.SAME_SUBJECT), None)
        if group is None:
            groups.append([entry])
        else:
            group.append(entry)
    return [group for groups in topics.values() for group in groups]


def is_covered(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether another entry makes one redundant: a pattern it answers, or a line that only follows it.

    The line seemed to fix something else. The other must name what it sets: another setting may have the same value.
    """
    content = other.visible_content
    if one.has_no_advice:
        shared = bool(content) and bool(rules_of(one) & rules_of(other))
        return shared and all(has_phrase(one.text.lower(), part) for part in content)
    if not one.advice.startswith(FIXED_BY) or other.advice.startswith(FIXED_BY):
        return False
    name = terms_of(read_line(one.advice.removeprefix(FIXED_BY).strip("`")).sets)
    return (
        bool(name) and name <= terms_of(other.text) and set(one.visible_content) == set(content) and differ(one, other)
    )


def differ(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether two entries are known to be about different things: each has a check, rule or place of its own."""
    known = (have_different_rules, have_different_checks, have_different_places, set_different_names)
    return any(one_differs(one, other) for one_differs in known)


def found_together(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether two findings of one evaluation taught them."""
    places = {(proof.run, proof.iteration): proof.subject for proof in one.proofs if proof.finding}
    return any(
        places.get((proof.run, proof.iteration), proof.subject) != proof.subject
        for proof in other.proofs
        if proof.finding
    )


def is_duplicate(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether two entries are equivalent: the same content, or content that the other's words affirm.

    Their rules may differ: two linters may report one thing by different rules. A finding says what is wrong, so it
    repeats no entry, although it may contain an entry's words.
    """
    if FROM_FINDING in (one.origin, other.origin):
        return False
    if (one.kind == "anti_pattern") != (other.kind == "anti_pattern"):
        return False
    if one.has_no_advice and other.has_no_advice and (rules_of(one) & rules_of(other) or one.text == other.text):
        return True
    mine, theirs = one.visible_content, other.visible_content
    if mine and theirs:
        return same_content(one, other) and not (have_different_checks(one, other) or set_different_names(one, other))
    if mine or theirs:
        return affirms(other, mine) if mine else affirms(one, theirs)
    return not details_differ(one.stance, other.stance) and word_overlap(one.text, other.text) >= SAME_WORDS


def same_content(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether two entries give the same advice, apart from words that only name its subject.

    Where both are about one name that is set, marks at the ends make no difference: `media/` and `media`.
    """
    mine, theirs = one.visible_content, other.visible_content
    if set(mine) == set(theirs) or (have_equal_words(mine, theirs) and set_name(one) == set_name(other) != ""):
        return True
    if len(mine) != 1 or len(theirs) != 1:
        return False
    (short, brief), (long, wide) = sorted(((mine[0], one), (theirs[0], other)), key=lambda each: len(each[0]))
    more = terms_of(long) - terms_of(short)
    return has_words(long, short) and (more <= about_words(wide) or affirms(brief, (long,)))


def have_equal_words(one: Collection[str], other: Collection[str]) -> bool:
    """Return whether two contents are equal without the marks at the ends of their parts."""
    return len(one) == len(other) and {part.strip(MARKS) for part in one} == {part.strip(MARKS) for part in other}


def affirms(entry: LearningEntry, content: Collection[str]) -> bool:
    """Return whether the words of an entry advise all of a content."""
    words = affirmed_text(entry.stance).lower()
    return all(has_phrase(words, part) for part in content)


def is_one_project(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether two entries may apply in one project: checks of other projects may have the same name."""
    return one.project == other.project or not (one.project and other.project)


def set_different_names(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether the lines of files that followed two entries are known to set different names."""
    return are_different(set_name(one), set_name(other))


def have_different_checks(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether each is known to be about a check of its own."""
    return are_different(one.check, other.check)


def are_different(one: str, other: str) -> bool:
    """Return whether two names are known, and not the same."""
    return bool(one and other) and one != other


def have_different_rules(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether findings of different rules taught each."""
    return have_own(rules_of(one), rules_of(other))


def have_different_places(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether each is about places of its own."""
    return have_own(places_of(one), places_of(other))


def have_own(one: Collection[str], other: Collection[str]) -> bool:
    """Return whether two collections are known, and have nothing in common."""
    return bool(one and other) and set(one).isdisjoint(other)


def is_one_finding_of_rule(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether findings of one rule taught both, which are worded alike and name something in common.

    A linter's rule may be about many things: what its sentences name tells them apart.
    """
    if not rules_of(one) & rules_of(other) or not finding_names(one) & finding_names(other):
        return False
    words, others = (
        frozenset[str]().union(*map(terms_of, finding_titles(each))) - terms_of(" ".join(finding_names(each)))
        for each in (one, other)
    )
    return len(words & others) >= SIMILAR_SUBJECT * min(len(words), len(others)) > 0


def are_worded_alike(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether two entries, or the findings that taught them, are worded alike apart from their advice.

    An entry without content says nothing that a work could contradict.
    """
    if name_different_things(one, other):
        return False
    if FROM_FINDING in (one.origin, other.origin):
        titles = ((mine, theirs) for mine in finding_titles(one) for theirs in finding_titles(other))
        return word_overlap(one.text, other.text) >= SAME_FINDING or any(
            word_overlap(*pair) >= SAME_FINDING for pair in titles
        )
    if not (one.visible_content and other.visible_content):
        return False
    mine, theirs = (terms_of(each.text) - terms_of(" ".join(each.visible_content)) for each in (one, other))
    return len(mine & theirs) >= SIMILAR_SUBJECT * len(mine | theirs) > 0


def name_different_things(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether the findings that taught two entries name different things apart from the advice."""
    mine, theirs = finding_names(one), finding_names(other)
    if not have_own(mine, theirs):
        return False
    return not mine <= set(one.visible_content) and not theirs <= set(other.visible_content)
