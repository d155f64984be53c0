"""Find the lines of a file that a patch changes; its line numbers are only hints."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby, islice, pairwise

from openkoi_hookspecs.lazy_dataclass import dataclass

from .byte_splice import TextChange
from .hunks import Hunk, PatchLine
from .indent import IndentShift
from .matching import MAX_MATCHES, TOLERANT_KEYS, line_runs, line_starts
from .text_document import split_lines


@dataclass(frozen=True, slots=True)
class UnplacedHunk:
    """A hunk without a position, or with several: the possible lines, counted from one."""

    number: int
    hunk: Hunk
    first_lines: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PlacedHunk:
    """A hunk in its position: the span of its old lines, and the changes in it."""

    block: TextChange
    changes: tuple[TextChange, ...]
    tolerant: bool = False


@dataclass(frozen=True, slots=True)
class HunkCandidates:
    """The lines where a hunk may be, counted from zero. ``tolerant``: only if white space is ignored."""

    first_lines: tuple[int, ...] = ()
    tolerant: bool = False


@dataclass(frozen=True, slots=True)
class ExpectedLine:
    """Where a hunk should be by its own line number, and where the one before it ended."""

    first: int | None
    after: int


def place_hunks(text: str, hunks: Sequence[Hunk]) -> list[PlacedHunk] | UnplacedHunk:
    """Find the position of every hunk, or return the first that has none."""
    lines, drift, after = split_lines(text), 0, 0
    fits: list[PlacedHunk] = []
    for number, hunk in enumerate(map(split_hunk_lines, hunks), 1):
        found = find_candidates(lines, hunk)
        expected = ExpectedLine(hunk.at - 1 + drift if hunk.at else None, after)
        first = choose_line(found.first_lines, hunk, expected, lines)
        if first is None:
            return UnplacedHunk(number, hunk, tuple(spot + 1 for spot in found.first_lines))
        fits.append(fit_hunk(text, hunk, first, tolerant=found.tolerant))
        drift, after = first - (hunk.at - 1) if hunk.at else drift, first + len(hunk.old_lines)
    return fits


def split_hunk_lines(hunk: Hunk) -> Hunk:
    """Return the same hunk with its lines as shown to models, where every carriage return ends a line."""
    texts = [(line.sign, line.text.removesuffix("\r").split("\r")) for line in hunk.lines]
    return replace(hunk, lines=tuple(PatchLine(sign, part) for sign, parts in texts for part in parts))


def find_candidates(lines: Sequence[str], hunk: Hunk) -> HunkCandidates:
    """Find where a hunk might be by the strictest comparison that finds any place."""
    if not hunk.old_lines:
        return HunkCandidates() if lines else HunkCandidates((0,))
    blank = not any(map(str.strip, hunk.old_lines))
    keys: tuple[Callable[[str], str], ...] = (str,) if blank else (str, *TOLERANT_KEYS)
    for key in keys:
        places = islice(line_runs(lines, hunk.old_lines, key), MAX_MATCHES)
        if found := tuple(first for first in places if may_end(hunk, first, lines)):
            return HunkCandidates(found, tolerant=key is not str)
    return HunkCandidates()


def may_end(hunk: Hunk, first: int, lines: Sequence[str]) -> bool:
    """Return whether a hunk that must end the file does so from this line."""
    return not (hunk.at_end or hunk.old_open) or first + len(hunk.old_lines) == len(lines)


def choose_line(firsts: Sequence[int], hunk: Hunk, expected: ExpectedLine, lines: Sequence[str]) -> int | None:
    """Return the intended position: the stated one, or the only one, possibly after the previous hunk."""
    if expected.first in firsts:
        return expected.first
    later = [first for first in firsts if first >= expected.after]
    candidates = (firsts, later, below_headings(later, hunk.headings, lines))
    return next((few[0] for few in candidates if len(few) == 1), None)


def below_headings(firsts: Sequence[int], headings: Sequence[str], lines: Sequence[str]) -> list[int]:
    """Return the first places below the last heading, which is below the previous ones."""
    above = 0
    for heading in headings[:-1]:
        above = next((at for at in range(above, len(lines)) if heading in lines[at]), len(lines))
    last = [at for at in range(above, len(lines)) if headings and headings[-1] in lines[at]]
    nearest = (next((first for first in firsts if first >= at), None) for at in last)
    return sorted({first for first in nearest if first is not None})


def fit_hunk(text: str, hunk: Hunk, first: int, *, tolerant: bool) -> PlacedHunk:
    """Return a hunk in its position."""
    lines = split_lines(text)
    starts = [min(start, len(text)) for start in line_starts(lines)]
    shift = (
        IndentShift.from_match(hunk.old_lines, hunk.new_lines, lines[first : first + len(hunk.old_lines)])
        if tolerant
        else None
    )
    changes, at = [], first
    for kept, group in groupby(hunk.lines, key=lambda line: line.sign == " "):
        some = list(group)
        gone = sum(line.sign != "+" for line in some)
        added = [line.text for line in some if line.sign == "+"]
        if not kept:
            new = "".join(f"{shift.apply(line) if shift else line}\n" for line in added)
            changes.append(fit_final_newline(text, hunk, TextChange(starts[at], starts[at + gone], new)))
        at += gone
    return PlacedHunk(TextChange(starts[first], starts[at], ""), tuple(changes), tolerant)


def fit_final_newline(text: str, hunk: Hunk, change: TextChange) -> TextChange:
    """Set the line feed at the end of the file: as in the patch if that mentions it, else as it was."""
    if change.end < len(text) or not change.new:
        return change
    unclosed = bool(text) and not text.endswith("\n")
    opened = hunk.new_open if hunk.new_open != hunk.old_open else unclosed
    new = change.new.removesuffix("\n") if opened else change.new
    return replace(change, new=f"\n{new}" if unclosed and change.start == len(text) else new)


def order_changes(fits: Sequence[PlacedHunk]) -> tuple[TextChange, ...] | None:
    """Return all changes in the order of the text; None when two of them overlap."""
    changes = sorted((change for fit in fits for change in fit.changes), key=lambda change: (change.start, change.end))
    if any(overlap(one, other) for one, other in pairwise(changes)):
        return None
    return tuple(changes)


def overlap(one: TextChange, other: TextChange) -> bool:
    """Return whether two changes go to the same place."""
    return other.start < one.end or (other.start, other.end) == (one.start, one.end)
