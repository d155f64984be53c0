"""Find the text that an edit means: exactly as written, else as lines whose white space was guessed wrong. Pure."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice

from .indent import rewritten
from .splice import Change

MOST_PLACES = 100_000
TOLERANT = (str.rstrip, str.strip)


@dataclass(frozen=True, slots=True)
class Edit:
    """What to look for and what to put there, both with line feeds only."""

    search: str
    replace: str
    all: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """The places an edit may mean. ``tolerant``: found only after white space was disregarded."""

    changes: tuple[Change, ...] = ()
    tolerant: bool = False


def matches(text: str, edit: Edit) -> Found:
    """Find an edit's places by the strictest reading that finds any."""
    places = islice(occurrences(text, edit.search), MOST_PLACES)
    exact = tuple(Change(at, at + len(edit.search), edit.replace) for at in places)
    if exact:
        return Found(apart(exact) if edit.all else exact)
    if not edit.search.strip():
        return Found()
    for key in TOLERANT:
        if found := tuple(islice(windows(text, edit, key), MOST_PLACES)):
            return Found(apart(found) if edit.all else found, tolerant=True)
    return Found()


def occurrences(text: str, search: str) -> Iterator[int]:
    """Yield where a text occurs, overlapping places included."""
    at = text.find(search)
    while at != -1:
        yield at
        at = text.find(search, at + 1)


def windows(text: str, edit: Edit, key: Callable[[str], str]) -> Iterator[Change]:
    """Yield the runs of whole lines that equal the searched ones by a key."""
    lines, wanted = text.removesuffix("\n").split("\n"), edit.search.removesuffix("\n").split("\n")
    starts = starts_of(lines)
    unclosed = not edit.search.endswith("\n")
    for first in runs(lines, wanted, key):
        start, end = starts[first], min(starts[first + len(wanted)] - unclosed, len(text))
        yield Change(start, end, fitted(text[start:end], edit))


def runs(lines: Sequence[str], wanted: Sequence[str], key: Callable[[str], str]) -> Iterator[int]:
    """Yield where lines begin that equal the wanted ones by a key."""
    keyed, sought = [key(line) for line in lines], [key(line) for line in wanted]
    for first in range(len(lines) - len(wanted) + 1):
        if keyed[first] == sought[0] and keyed[first : first + len(wanted)] == sought:
            yield first


def starts_of(lines: Sequence[str]) -> list[int]:
    """Return where each line begins in their text, and where one after the last would."""
    return [0, *accumulate(len(line) + 1 for line in lines)]


def fitted(old: str, edit: Edit) -> str:
    """Return the replacement in the found lines' own white space, and without a final newline they do not have."""
    search, replace = edit.search, edit.replace
    if search.endswith("\n") and not old.endswith("\n"):
        search, replace = search.removesuffix("\n"), replace.removesuffix("\n")
    return "\n".join(rewritten(search.split("\n"), replace.split("\n"), old.split("\n")))


def apart(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Leave out each change that overlaps the one before."""
    kept: list[Change] = []
    for change in changes:
        if not kept or change.start >= kept[-1].end:
            kept.append(change)
    return tuple(kept)
