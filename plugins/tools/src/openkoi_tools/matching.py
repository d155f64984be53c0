"""Find the text that an edit refers to: exactly, or as lines that differ only in white space."""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, islice

from openkoi_hookspecs.lazy_dataclass import dataclass

from .byte_splice import TextChange
from .indent import reindent

MAX_MATCHES = 100_000
TOLERANT_KEYS = (str.rstrip, str.strip)


@dataclass(frozen=True, slots=True)
class Edit:
    """What to search and its replacement, both with line feeds only."""

    search: str
    replace: str
    all: bool = False


@dataclass(frozen=True, slots=True)
class Matches:
    """The places that an edit may mean. ``tolerant``: found only when white space is ignored."""

    changes: tuple[TextChange, ...] = ()
    tolerant: bool = False


def find_matches(text: str, edit: Edit) -> Matches:
    """Find an edit's places by the strictest comparison that finds any."""
    places = islice(find_occurrences(text, edit.search), MAX_MATCHES)
    exact = tuple(TextChange(at, at + len(edit.search), edit.replace) for at in places)
    if exact:
        return Matches(drop_overlapping(exact) if edit.all else exact)
    if not edit.search.strip():
        return Matches()
    for key in TOLERANT_KEYS:
        if found := tuple(islice(match_lines(text, edit, key), MAX_MATCHES)):
            return Matches(drop_overlapping(found) if edit.all else found, tolerant=True)
    return Matches()


def find_occurrences(text: str, search: str) -> Iterator[int]:
    """Yield where a text occurs, including overlapping places."""
    at = text.find(search)
    while at != -1:
        yield at
        at = text.find(search, at + 1)


def match_lines(text: str, edit: Edit, key: Callable[[str], str]) -> Iterator[TextChange]:
    """Yield the runs of whole lines that equal the searched ones by a key."""
    lines, wanted = text.removesuffix("\n").split("\n"), edit.search.removesuffix("\n").split("\n")
    starts = line_starts(lines)
    unclosed = not edit.search.endswith("\n")
    for first in line_runs(lines, wanted, key):
        start, end = starts[first], min(starts[first + len(wanted)] - unclosed, len(text))
        yield TextChange(start, end, fit_replacement(text[start:end], edit))


def line_runs(lines: Sequence[str], wanted: Sequence[str], key: Callable[[str], str]) -> Iterator[int]:
    """Yield where lines begin that equal the wanted ones by a key."""
    keyed, sought = [key(line) for line in lines], [key(line) for line in wanted]
    for first in range(len(lines) - len(wanted) + 1):
        if keyed[first] == sought[0] and keyed[first : first + len(wanted)] == sought:
            yield first


def line_starts(lines: Sequence[str]) -> list[int]:
    """Return where each line of a text begins, and where a line after the last one would begin."""
    return [0, *accumulate(len(line) + 1 for line in lines)]


def fit_replacement(old: str, edit: Edit) -> str:
    """Return the replacement in the found lines' own white space, and without a final newline they do not have."""
    search, replace = edit.search, edit.replace
    if search.endswith("\n") and not old.endswith("\n"):
        search, replace = search.removesuffix("\n"), replace.removesuffix("\n")
    return "\n".join(reindent(search.split("\n"), replace.split("\n"), old.split("\n")))


def drop_overlapping(changes: Sequence[TextChange]) -> tuple[TextChange, ...]:
    """Drop each change that overlaps the one before."""
    kept: list[TextChange] = []
    for change in changes:
        if not kept or change.start >= kept[-1].end:
            kept.append(change)
    return tuple(kept)
