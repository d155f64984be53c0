"""Find the lines that a patch means in the text of a file, and what to put where. Line numbers are hints. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice, pairwise

from .hunks import Hunk, Line
from .indent import Shift
from .matching import MOST_PLACES, TOLERANT, runs, starts_of
from .splice import Change
from .text import lines_of


@dataclass(frozen=True, slots=True)
class Misfit:
    """A hunk that has no place, or more than one: the lines, counted from one, at which it might stand."""

    number: int
    hunk: Hunk
    firsts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Fit:
    """A hunk in its place: the whole of its old lines, and the changes among them."""

    block: Change
    changes: tuple[Change, ...]
    tolerant: bool = False


@dataclass(frozen=True, slots=True)
class Spots:
    """Where a hunk might stand, counted from zero. ``tolerant``: only if white space is disregarded."""

    firsts: tuple[int, ...] = ()
    tolerant: bool = False


@dataclass(frozen=True, slots=True)
class Expected:
    """Where a hunk should stand by what it says, and where the one before it ended."""

    first: int | None
    after: int


def placed(text: str, hunks: Sequence[Hunk]) -> list[Fit] | Misfit:
    """Find the place of every hunk, or the first that has none."""
    lines, drift, after = lines_of(text), 0, 0
    fits: list[Fit] = []
    for number, hunk in enumerate(map(spread, hunks), 1):
        found = spots(lines, hunk)
        expected = Expected(hunk.at - 1 + drift if hunk.at else None, after)
        first = chosen(found.firsts, hunk, expected, lines)
        if first is None:
            return Misfit(number, hunk, tuple(spot + 1 for spot in found.firsts))
        fits.append(fitted(text, hunk, first, tolerant=found.tolerant))
        drift, after = first - (hunk.at - 1) if hunk.at else drift, first + len(hunk.old)
    return fits


def spread(hunk: Hunk) -> Hunk:
    """The same hunk with lines as they are shown, where every carriage return ends one."""
    texts = [(line.sign, line.text.removesuffix("\r").split("\r")) for line in hunk.lines]
    return replace(hunk, lines=tuple(Line(sign, part) for sign, parts in texts for part in parts))


def spots(lines: Sequence[str], hunk: Hunk) -> Spots:
    """Find where a hunk might stand by the strictest reading that finds any place."""
    if not hunk.old:
        return Spots() if lines else Spots((0,))
    blank = not any(map(str.strip, hunk.old))
    keys: tuple[Callable[[str], str], ...] = (str,) if blank else (str, *TOLERANT)
    for key in keys:
        places = islice(runs(lines, hunk.old, key), MOST_PLACES)
        if found := tuple(first for first in places if may_end(hunk, first, lines)):
            return Spots(found, tolerant=key is not str)
    return Spots()


def may_end(hunk: Hunk, first: int, lines: Sequence[str]) -> bool:
    """Whether a hunk that goes to the end of its file does so from here."""
    return not (hunk.at_end or hunk.old_open) or first + len(hunk.old) == len(lines)


def chosen(firsts: Sequence[int], hunk: Hunk, expected: Expected, lines: Sequence[str]) -> int | None:
    """Choose the one place that is meant: the one that is said, else the only one, also of those further on."""
    if expected.first in firsts:
        return expected.first
    later = [first for first in firsts if first >= expected.after]
    candidates = (firsts, later, headed(later, hunk.headings, lines))
    return next((few[0] for few in candidates if len(few) == 1), None)


def headed(firsts: Sequence[int], headings: Sequence[str], lines: Sequence[str]) -> list[int]:
    """Return the places that come first after the last heading, below those before it."""
    above = 0
    for heading in headings[:-1]:
        above = next((at for at in range(above, len(lines)) if heading in lines[at]), len(lines))
    last = [at for at in range(above, len(lines)) if headings and headings[-1] in lines[at]]
    nearest = (next((first for first in firsts if first >= at), None) for at in last)
    return sorted({first for first in nearest if first is not None})


def fitted(text: str, hunk: Hunk, first: int, *, tolerant: bool) -> Fit:
    """Put a hunk in its place."""
    lines = lines_of(text)
    starts = [min(start, len(text)) for start in starts_of(lines)]
    shift = Shift.between(hunk.old, hunk.new, lines[first : first + len(hunk.old)]) if tolerant else None
    changes, at = [], first
    for kept, group in groupby(hunk.lines, key=lambda line: line.sign == " "):
        some = list(group)
        gone = sum(line.sign != "+" for line in some)
        added = [line.text for line in some if line.sign == "+"]
        if not kept:
            new = "".join(f"{shift.apply(line) if shift else line}\n" for line in added)
            changes.append(ending(text, hunk, Change(starts[at], starts[at + gone], new)))
        at += gone
    return Fit(Change(starts[first], starts[at], ""), tuple(changes), tolerant)


def ending(text: str, hunk: Hunk, change: Change) -> Change:
    """See to the line feed at the end of the file: as the patch says where it speaks of it, else as it was."""
    if change.end < len(text) or not change.new:
        return change
    unclosed = bool(text) and not text.endswith("\n")
    opened = hunk.new_open if hunk.new_open != hunk.old_open else unclosed
    new = change.new.removesuffix("\n") if opened else change.new
    return replace(change, new=f"\n{new}" if unclosed and change.start == len(text) else new)


def ordered(fits: Sequence[Fit]) -> tuple[Change, ...] | None:
    """All changes in the order of the text; None when two of them meet in one place."""
    changes = sorted((change for fit in fits for change in fit.changes), key=lambda change: (change.start, change.end))
    if any(clash(one, other) for one, other in pairwise(changes)):
        return None
    return tuple(changes)


def clash(one: Change, other: Change) -> bool:
    """Whether two changes go to the same place."""
    return other.start < one.end or (other.start, other.end) == (one.start, one.end)
