"""Decide whether two entries are duplicates, or concern the same subject. No other module decides this.

Two findings of one evaluation are never one thing. A number, a name or a denial that differs is never a duplicate.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache

from openkoi_hookspecs import Finding

from .content import Replacement, WorkLine, has_phrase, has_words, read_line, terms_of
from .entry import FIXED_BY, LearningEntry, Trust, check_subject
from .text_similarity import affirmed_text, details_differ, marked_names, names_in, strip_marks, word_overlap
from .thresholds import SAME_WORDS, SIMILAR_SUBJECT

MARKS = " !\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~“”…"


def is_same(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether two entries say the same about the same subject."""
    if (one.kind == "anti_pattern") != (other.kind == "anti_pattern"):
        return False
    if one.has_no_advice and other.has_no_advice and (shared_rules(one, other) or one.text == other.text):
        return True
    return same_advice(one, other) and not found_together(one, other)


def is_for_another(line: LearningEntry, entry: LearningEntry) -> bool:
    """Return whether a line that seemed to fix something only sets what an entry about another subject says to set.

    The entry must have the name that the line sets: another setting may have the same value.
    """
    if not line.advice.startswith(FIXED_BY) or entry.advice.startswith(FIXED_BY):
        return False
    name = terms_of(read_line(line.advice.removeprefix(FIXED_BY).strip("`")).sets)
    named = bool(name) and name <= terms_of(entry.text)
    return named and set(line.visible_content) == set(entry.visible_content) and are_distinct(line, entry)


def is_answered(pattern: LearningEntry, entry: LearningEntry) -> bool:
    """Return whether an entry advises about something that a pattern without advice says was found often."""
    content = entry.visible_content
    return (
        pattern.has_no_advice
        and bool(content)
        and bool(shared_rules(pattern, entry))
        and all(has_phrase(pattern.text.lower(), part) for part in content)
    )


def shared_rules(one: LearningEntry, other: LearningEntry) -> frozenset[str]:
    """Return the rules whose findings taught both of two entries."""
    mine, theirs = (frozenset(proof.rule for proof in each.proofs) for each in (one, other))
    return mine & theirs - {""}


def same_advice(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether two entries advise the same: one content, or a content that the other's words affirm.

    Their rules may differ: two linters may report one thing by different rules.
    """
    mine, theirs = one.visible_content, other.visible_content
    if mine and theirs:
        return same_content(one, other) and not (have_different_checks(one, other) or set_different_names(one, other))
    if mine or theirs:
        return affirms(other, mine) if mine else affirms(one, theirs)
    return not details_differ(one.stance, other.stance) and word_overlap(one.text, other.text) >= SAME_WORDS


def same_content(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether two entries advise the same, beside words that only say what it is about.

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


def about_words(entry: LearningEntry) -> frozenset[str]:
    """Return the words of the findings and tasks that taught an entry."""
    return frozenset[str]().union(*(terms_of(text) for text in (*(one.finding for one in entry.proofs), *entry.when)))


def same_subject(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether two entries have the same subject, so that only one of them can apply to a task."""
    return one.topic == other.topic and not (found_together(one, other) or set_different_names(one, other))


def have_similar_subjects(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether two entries differ only in their advice, like entries about one subject."""
    if not (one.visible_content and other.visible_content):
        return False
    mine, theirs = (terms_of(each.text) - terms_of(" ".join(each.visible_content)) for each in (one, other))
    if not len(mine & theirs) >= SIMILAR_SUBJECT * len(mine | theirs) > 0:
        return False
    return not (name_different_things(one, other) or found_together(one, other) or are_distinct(one, other))


def name_different_things(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether the findings behind two entries name different things apart from the advice."""
    mine, theirs = (finding_names(each).difference(each.visible_content) for each in (one, other))
    return bool(mine and theirs) and mine.isdisjoint(theirs)


def share_rule(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether findings of one rule taught both, which are worded alike and name something in common.

    A linter's rule may be about many things: what its sentences name tells them apart.
    """
    if not shared_rules(one, other):
        return False
    mine, theirs = finding_names(one), finding_names(other)
    if not mine & theirs or found_together(one, other) or are_distinct(one, other):
        return False
    words, others = (
        terms_of(finding_text(each)) - terms_of(" ".join(names)) for each, names in ((one, mine), (other, theirs))
    )
    return len(words & others) >= SIMILAR_SUBJECT * min(len(words), len(others)) > 0


def finding_text(entry: LearningEntry) -> str:
    """Return the findings that taught an entry."""
    return "\n".join(dict.fromkeys(proof.finding for proof in entry.proofs))


def finding_names(entry: LearningEntry) -> frozenset[str]:
    """Return the names that the findings which taught an entry mark."""
    return marked_names(finding_text(entry))


def found_together(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether two findings of one evaluation taught them."""
    places = {(proof.run, proof.iteration): proof.subject for proof in one.proofs if proof.finding}
    return any(
        places.get((proof.run, proof.iteration), proof.subject) != proof.subject
        for proof in other.proofs
        if proof.finding
    )


def have_different_checks(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether the entries are known to be about different checks."""
    return bool(one.check and other.check) and one.check != other.check


def have_different_places(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether the entries are about different places."""
    mine, theirs = places_of(one), places_of(other)
    return bool(mine and theirs) and mine.isdisjoint(theirs)


def places_of(entry: LearningEntry) -> frozenset[str]:
    """Return the files and symbols that an entry is about, and no others: its advice and all its findings name them.

    An advice that names none applies wherever its check or rule does. What it says to write is not a place, nor is
    another name with a dot, such as Node.js, if it names the file where all findings are.
    """
    located = [one for one in entry.proofs if one.where]
    found = [names_in(f"{one.where} {one.finding}") for one in located]
    if not found or entry.stance.startswith(FIXED_BY):
        return frozenset()
    written = names_in(" ".join(entry.visible_content))
    places = names_in(entry.stance).intersection(*found) - written
    files = places.intersection(*(names_in(one.where) for one in located))
    return frozenset(one for one in places if one in files or "." not in one) if files else places


def is_elsewhere(entry: LearningEntry, finding: Finding) -> bool:
    """Return whether a finding is about another place than an entry is."""
    places = places_of(entry)
    names = names_in(f"{finding.where} {finding.title} {finding.detail} {finding.fix}")
    return bool(places and finding.where) and places.isdisjoint(names)


def limit_subject(entry: LearningEntry) -> LearningEntry:
    """Return an entry about a check with the place in its subject, if it is about one: a symbol, or else a file."""
    place = min(places_of(entry), key=lambda one: ("." in one, one), default="")
    return replace(entry, subject=check_subject(entry.check, place)) if entry.check else entry


def are_distinct(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether two entries are about different subjects: each has a check, rule, place or set name of its own."""
    rules, others = ({proof.rule for proof in each.proofs} - {""} for each in (one, other))
    known = rules and others and rules.isdisjoint(others)
    return (
        bool(known)
        or have_different_checks(one, other)
        or have_different_places(one, other)
        or set_different_names(one, other)
    )


def set_different_names(one: LearningEntry, other: LearningEntry) -> bool:
    """Return whether the lines of files that followed two entries are known to set different names."""
    mine, theirs = set_name(one), set_name(other)
    return bool(mine and theirs) and mine != theirs


def set_name(entry: LearningEntry) -> str:
    """Return the name which each line of a file sets that followed an entry, as the line before did, if it is one.

    The entry must name it too, unless its content is all that the name is set to.
    """
    steps = tuple((one.replaced, one.replacement) for one in entry.proofs if one.replaced and one.diff)
    return find_set_name(steps, entry.visible_content, entry.text, finding_text(entry)) if steps else ""


@lru_cache(maxsize=4_096)  # pairs of entries are compared before each task
def find_set_name(steps: Sequence[tuple[str, str]], content: Collection[str], *texts: str) -> str:
    """Return the name which all of these old and new lines set, if the texts name it, or the content is its value."""
    names = {Replacement(old, new).set_name for old, new in steps}
    name = names.pop() if len(names) == 1 else ""
    alone = all((strip_marks(new),) == content for _, new in steps)
    return name if terms_of(name) <= terms_of("\n".join(texts)) or alone else ""


def lines_about(entry: LearningEntry, lines: Sequence[WorkLine]) -> Sequence[WorkLine]:
    """Return the lines of a work that may show an entry: where it is about a name that is set, those that set it."""
    name = set_name(entry)
    return [line for line in lines if line.sets == name] if name else lines


def is_opinion(entry: LearningEntry) -> bool:
    """Return whether an entry was never confirmed, neither by a check nor by the user."""
    return entry.trust < Trust.CHECK


def stated_words(entry: LearningEntry) -> frozenset[str]:
    """Return the words of an entry that all tasks which taught it have: its conditions, as far as it states them."""
    tasks = [terms_of(task) for task in entry.when]
    return terms_of(entry.text).intersection(*tasks) if tasks else frozenset()
