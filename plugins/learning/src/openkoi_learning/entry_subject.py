"""Read what an entry is about from its evidence: the names and places of its findings, and what its lines set."""

from collections.abc import Collection, Sequence, Set
from dataclasses import replace
from functools import lru_cache

from .content import Replacement, WorkLine, terms_of
from .entry import FIXED_BY, FROM_FINDING, LearningEntry, check_subject
from .text_similarity import marked_names, names_in, strip_marks


def rules_of(entry: LearningEntry) -> frozenset[str]:
    """Return the rules whose findings taught an entry."""
    return frozenset(proof.rule for proof in entry.proofs) - {""}


def finding_titles(entry: LearningEntry) -> list[str]:
    """Return the findings that taught an entry, each once."""
    return [title for title in dict.fromkeys(proof.finding for proof in entry.proofs) if title]


def finding_names(entry: LearningEntry) -> frozenset[str]:
    """Return the names that are marked in the findings which taught an entry."""
    return marked_names("\n".join(finding_titles(entry)))


def about_words(entry: LearningEntry) -> frozenset[str]:
    """Return the words of the findings and tasks that taught an entry."""
    return frozenset[str]().union(*(terms_of(text) for text in (*(one.finding for one in entry.proofs), *entry.when)))


def places_of(entry: LearningEntry) -> frozenset[str]:
    """Return the files and symbols that an entry is about, and no others: its advice and all its findings name them.

    An advice that names none applies wherever its check or rule does. What it says to write is not a place, nor is
    another name with a dot, such as Node.js, if it names the file where all findings are. A finding is about all that
    it names.
    """
    located = [one for one in entry.proofs if one.where]
    found = [names_in(f"{one.where} {one.finding}") for one in located]
    if entry.origin == FROM_FINDING:
        return frozenset[str]().union(*found)
    if not found or entry.stance.startswith(FIXED_BY):
        return frozenset()
    written = names_in(" ".join(entry.visible_content))
    places = names_in(entry.stance).intersection(*found) - written
    files = places.intersection(*(names_in(one.where) for one in located))
    return frozenset(one for one in places if one in files or "." not in one) if files else places


def limit_subject(entry: LearningEntry) -> LearningEntry:
    """Return an entry about a check with the place in its subject, if it is about one: a symbol, or else a file."""
    place = min(places_of(entry), key=lambda one: ("." in one, one), default="")
    return replace(entry, subject=check_subject(entry.check, place)) if entry.check else entry


def set_name(entry: LearningEntry) -> str:
    """Return the name set by all lines of files that followed an entry, and by the lines that they replaced, or empty.

    The entry must name it too, unless its content is all that the name is set to.
    """
    steps = tuple((one.replaced, one.replacement) for one in entry.proofs if one.replaced and one.diff)
    return find_set_name(steps, entry.visible_content, entry.text, "\n".join(finding_titles(entry))) if steps else ""


@lru_cache(maxsize=4_096)  # pairs of entries are compared before each task
def find_set_name(steps: Sequence[tuple[str, str]], content: Collection[str], *texts: str) -> str:
    """Return the name set by all of these old and new lines, if the texts mention it, or the content is its value."""
    names = {Replacement(old, new).set_name for old, new in steps}
    name = names.pop() if len(names) == 1 else ""
    alone = all((strip_marks(new),) == content for _, new in steps)
    return name if terms_of(name) <= terms_of("\n".join(texts)) or alone else ""


def lines_about(entry: LearningEntry, lines: Sequence[WorkLine]) -> Sequence[WorkLine]:
    """Return the lines of work that may follow an entry; if it is about a name that is set, only those that set it."""
    name = set_name(entry)
    return [line for line in lines if line.sets == name] if name else lines


def sets_one_of(line: WorkLine, words: Set[str]) -> bool:
    """Return whether a line sets a name that occurs in a text with these words."""
    return bool(line.sets) and terms_of(line.sets) <= words
