"""The lines of a text that are most like the ones that were looked for and are not there."""

from collections.abc import Sequence
from dataclasses import dataclass

MOST_LINES = 100_000
MOST_CHARACTERS = 4_000
ALIKE = 50.0


@dataclass(frozen=True, slots=True)
class Near:
    """A run of lines, counted from one, and how much it is like the text looked for, in percent."""

    first: int
    last: int
    percent: float


def nearest(lines: Sequence[str], search: str, count: int = 2) -> list[Near]:
    """Find the runs of lines most like a text, best first."""
    wanted = search.strip("\n").split("\n")
    probe = max(range(len(wanted)), key=lambda at: len(wanted[at].strip()))
    near = {window(lines, wanted, max(0, at - probe)) for at in candidates(lines, wanted[probe])}
    best = sorted((one for one in near if one.percent >= ALIKE), key=lambda one: (-one.percent, one.first))
    return separate(best)[:count]


def candidates(lines: Sequence[str], probe: str) -> list[int]:
    """Return the indices of the lines most like one line."""
    from rapidfuzz import fuzz, process

    stripped = [line.strip()[:MOST_CHARACTERS] for line in lines[:MOST_LINES]]
    hits = process.extract(probe.strip()[:MOST_CHARACTERS], stripped, scorer=fuzz.ratio, limit=8, score_cutoff=ALIKE)
    return [index for _, _, index in hits]


def window(lines: Sequence[str], wanted: Sequence[str], start: int) -> Near:
    """Compare as many lines as were looked for, from a line on."""
    from rapidfuzz import fuzz

    here = lines[start : start + len(wanted)]
    percent = fuzz.ratio("\n".join(here)[:MOST_CHARACTERS], "\n".join(wanted)[:MOST_CHARACTERS])
    return Near(start + 1, start + len(here), percent)


def separate(near: Sequence[Near]) -> list[Near]:
    """Leave out what overlaps a better one."""
    kept: list[Near] = []
    for one in near:
        if all(one.last < other.first or one.first > other.last for other in kept):
            kept.append(one)
    return kept
