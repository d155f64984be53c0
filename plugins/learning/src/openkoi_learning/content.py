"""Find what advice asks for, and whether the work follows it.

An advice's content is the names and numbers in it; without any, the longest phrase that it shares with a line which the
next work has and the work before did not.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import product

from openkoi_hookspecs import ExecutionResult
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_search.words import index_terms

from .text_similarity import ASSIGNED, DENIAL, MARKED_NAME, NUMBER, WORD, affirmed_text, extract_details

TOKEN = lazy_pattern(r"[^\W_]+(?:[-./:][^\W_]+)*|[^\w\s]")  # a word with its hyphens, or a mark
UNIT = r"\s+[^\W\d_]+"

MIN_PHRASE_WORDS = (
    2  # words that an advice with a number shares with a line without that number (estimate, see CURVES.md)
)
MAX_LINES, MAX_WORDS = 2_000, 60  # of a work, and of an advice or a line, that are compared


@dataclass(frozen=True, slots=True)
class WorkLine:
    """A line of a work: in lower case, its words without punctuation, and the stems of those that carry meaning.

    ``sets`` is the name that it sets, as words; empty if it sets none.
    """

    text: str
    words: str
    terms: frozenset[str]
    sets: str

    def shows(self, content: Collection[str]) -> bool:
        """Whether the line contains all of the advice's content."""
        return bool(content) and all(has_phrase(self.text, one) or has_phrase(self.words, one) for one in content)


@lru_cache(maxsize=1_024)  # half a kilobyte each
def terms_of(text: str) -> frozenset[str]:
    """Return the search words of a text."""
    return frozenset(index_terms(text))


@lru_cache(maxsize=4_096)
def read_line(text: str) -> WorkLine:
    """Return a text as a line."""
    lowered = text.lower()
    found = ASSIGNED.match(lowered) if "=" in lowered or ":" in lowered else None
    sets = " ".join(WORD.findall(found[0])) if found else ""
    return WorkLine(lowered, " ".join(WORD.findall(lowered)), terms_of(text), sets)


def work_lines(work: ExecutionResult) -> list[WorkLine]:
    """Return the lines that work added to files, or else the lines of its answer."""
    added = [line[1:] for line in work.diff.splitlines() if line.startswith("+") and not line.startswith("+++")]
    lines = [line.strip() for line in (added or work.text.splitlines()) if line.strip()]
    return [read_line(line) for line in lines[:MAX_LINES]]


def names_of(text: str) -> frozenset[str]:
    """Return the names and numbers in advice, without those that are part of another."""
    details = extract_details(text)
    found = (details.identifiers | details.numbers) - {""}
    return found - {one for one in found for other in found if one != other and has_phrase(other, one)}


def has_phrase(text: str, phrase: str) -> bool:
    """Return whether a phrase occurs in a text in lower case, not as part of longer words."""
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if not continues(text[start - 1 : start], phrase[0]) and not continues(text[end : end + 1], phrase[-1]):
            return True
        start = text.find(phrase, start + 1)
    return False


def has_words(text: str, phrase: str) -> bool:
    """Return whether a phrase occurs in a text as whole words: `pdm.lock` does not contain `pdm`."""
    return f" {' '.join(phrase.split())} " in f" {' '.join(text.split())} "


def continues(beside: str, edge: str) -> bool:
    """Return whether a character belongs to the word that another begins or ends."""
    return bool(beside) and (beside.isalnum() or beside in "_-") and (edge.isalnum() or edge in "_-")


def find_content(
    advice: str,
    written: Iterable[WorkLine] = (),
    known: Iterable[WorkLine] = (),
    about: Collection[str] = (),
) -> tuple[str, ...]:
    """Return the content of advice: its names that occur together in a new line, or a phrase that is new in one.

    ``about`` are the words of what it is about, which are not a phrase's ends. The verb of an advice is not
    one, and a single word is not if the advice has numbers that no line has. Of several new phrases the one that ends
    its line is chosen: what is new comes last.
    """
    if DENIAL.search(advice):
        advice = affirmed_text(advice)
    names, written = names_of(advice), list(written)
    names_shown = max((shown_names(names, advice, line.text) for line in written), key=len, default=[])
    if names_shown or (names and (not written or MARKED_NAME.search(advice))):
        return tuple(sorted(names_shown or names))
    old = {word for line in known for word in line.terms}
    verb, wanted = terms_of(advice.partition(" ")[0]), MIN_PHRASE_WORDS if names else 1
    phrases: dict[str, bool] = {}
    for line in written:
        for phrase in common_phrases(advice.lower(), line.text):
            phrases[phrase] = phrases.get(phrase, False) or f" {line.words}".endswith(f" {phrase}")
    phrases = {one: last for one, last in phrases.items() if len(terms_of(one) - verb - set(about)) >= wanted}
    best = max(phrases, key=lambda one: (not terms_of(one) & old, phrases[one], novelty(one, old), one), default="")
    return (trim_words(best, about) or best,) if terms_of(best) - old else ()


def novelty(phrase: str, old: Set[str]) -> int:
    """Return the number of new words in a phrase minus the number of old ones."""
    words = terms_of(phrase)
    return len(words - old) - len(words & old)


def shown_names(names: Iterable[str], advice: str, line: str) -> list[str]:
    """Return the names that a line contains; a number includes the unit that follows it in both texts."""
    names_shown = [one for one in names if has_phrase(line, one)]
    return [number_with_unit(one, advice.lower(), line) if NUMBER.fullmatch(one) else one for one in names_shown]


def number_with_unit(number: str, *texts: str) -> str:
    """Return a number with the word that follows it in all texts, if there is one."""
    after = [re.search(rf"(?<![\w.]){re.escape(number)}{UNIT}", text) for text in texts]
    found = {" ".join(one[0].split()) if one else "" for one in after}
    return (found.pop() if len(found) == 1 else "") or number


def trim_words(phrase: str, about: Collection[str]) -> str:
    """Return a phrase without the words at its ends that only name its subject."""
    words = phrase.split()
    kept = [place for place, word in enumerate(words) if terms_of(word) - set(about)]
    return " ".join(words[kept[0] : kept[-1] + 1]) if kept else ""


def common_phrases(one: str, other: str) -> Iterator[str]:
    """Yield the longest runs of words that two texts share, without the function words at their ends.

    A run that both texts continue with another word is part of two different phrases: `late night` of `late noon`.
    """
    mine, theirs = TOKEN.findall(one)[:MAX_WORDS], TOKEN.findall(other)[:MAX_WORDS]
    for start, begin in product(range(len(mine)), range(len(theirs))):
        if mine[start] == theirs[begin] and not (start and begin and mine[start - 1] == theirs[begin - 1]):
            size = common_length(mine[start:], theirs[begin:])
            words = strip_function_words(mine[start : start + size])
            before = [some[at - 1] for some, at in ((mine, start), (theirs, begin)) if at]
            after = [some[at + size] for some, at in ((mine, start), (theirs, begin)) if at + size < len(some)]
            if words and not (differ(before, mine[start]) or differ(after, mine[start + size - 1])):
                yield " ".join(words)


def differ(beside: Sequence[str], edge: str) -> bool:
    """Return whether two texts have different words, none a function word or a mark, next to a word."""
    return len(beside) == 2 and all(terms_of(word) for word in (*beside, edge))


def common_length(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many words two texts have in common from their beginnings."""
    pairs = enumerate(zip(one, other, strict=False))
    ends = (at for at, (mine, theirs) in pairs if mine != theirs or not mine[0].isalnum())
    return next(ends, min(len(one), len(other)))


def strip_function_words(words: list[str]) -> list[str]:
    """Return words without insignificant ones at the ends."""
    kept = [place for place, word in enumerate(words) if terms_of(word)]
    return words[kept[0] : kept[-1] + 1] if kept else []


def longest_run(line: str, about: Collection[str]) -> tuple[str, ...]:
    """Return the longest run of meaningful words in a line that do not name its subject; of equals, the last."""
    runs: list[list[str]] = [[]]
    for word in TOKEN.findall(line.lower()):
        if terms_of(word) - set(about):
            runs[-1].append(word)
        elif runs[-1]:
            runs.append([])
    best = max(reversed(runs), key=len)
    return (" ".join(best),) if best else ()


def is_shown(content: Collection[str], lines: Iterable[WorkLine]) -> bool:
    """Return whether a line of the work contains the content of advice."""
    return any(line.shows(content) for line in lines)


def new_lines(before: Sequence[WorkLine], after: Sequence[WorkLine]) -> list[WorkLine]:
    """Return the lines of work that the previous work did not have."""
    known = {line.text for line in before}
    return [line for line in after if line.text not in known]


@dataclass(frozen=True, slots=True)
class Replacement:
    """A line of work, and the line that replaces it in the next work."""

    old: str = ""
    new: str = ""

    def drops(self, content: Collection[str]) -> bool:
        """Return whether the old line shows a content and the new one does not."""
        return read_line(self.old).shows(content) and not read_line(self.new).shows(content)

    @property
    def set_name(self) -> str:
        """The name that both lines set; empty if they do not set one."""
        name = read_line(self.new).sets
        return name if name == read_line(self.old).sets else ""


def find_replacement(
    before: Sequence[WorkLine], after: Sequence[WorkLine], content: Collection[str], about: Set[str] = frozenset()
) -> Replacement | None:
    """Return the line that contains a content, with the line that it replaced; None if that is unknown.

    Of several the one that has the most words of what it is ``about``.
    """
    found = [one for one in find_replacements(before, after) if read_line(one.new).shows(content)]
    return max(found, key=lambda one: len(read_line(one.new).terms & about), default=None)


def find_replacements(before: Sequence[WorkLine], after: Sequence[WorkLine]) -> Iterator[Replacement]:
    """Yield the lines of work that are known to have been replaced."""
    from difflib import SequenceMatcher

    old, new = [line.text for line in before], [line.text for line in after]
    for kind, start, end, begin, stop in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for place in range(begin, stop) if kind == "replace" and end - start == stop - begin else ():
            yield Replacement(old[start + place - begin], new[place])
