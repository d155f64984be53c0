"""Find the lines of a text that are most similar to lines that are missing."""

from collections.abc import Sequence

from openkoi_hookspecs.lazy_dataclass import dataclass

MAX_LINES = 100_000
MAX_CHARACTERS = 4_000
MIN_SIMILARITY_PERCENT = 50.0  # lines are shown as most similar from this ratio of rapidfuzz on (estimate)


@dataclass(frozen=True, slots=True)
class ClosestLines:
    """A run of lines, counted from one, and its similarity in percent."""

    first: int
    last: int
    percent: float


def find_closest(lines: Sequence[str], search: str, count: int = 2) -> list[ClosestLines]:
    """Return the runs of lines most similar to a text, best first."""
    wanted = search.strip("\n").split("\n")
    probe = max(range(len(wanted)), key=lambda at: len(wanted[at].strip()))
    near = {compare_window(lines, wanted, max(0, at - probe)) for at in candidate_lines(lines, wanted[probe])}
    best = sorted(
        (one for one in near if one.percent >= MIN_SIMILARITY_PERCENT), key=lambda one: (-one.percent, one.first)
    )
    return drop_overlapping(best)[:count]


def candidate_lines(lines: Sequence[str], probe: str) -> list[int]:
    """Return the indices of the lines most like one line."""
    from rapidfuzz import fuzz, process

    stripped = [line.strip()[:MAX_CHARACTERS] for line in lines[:MAX_LINES]]
    hits = process.extract(
        probe.strip()[:MAX_CHARACTERS], stripped, scorer=fuzz.ratio, limit=8, score_cutoff=MIN_SIMILARITY_PERCENT
    )
    return [index for _, _, index in hits]


def compare_window(lines: Sequence[str], wanted: Sequence[str], start: int) -> ClosestLines:
    """Compare the searched lines with as many lines from a position on."""
    from rapidfuzz import fuzz

    here = lines[start : start + len(wanted)]
    percent = fuzz.ratio("\n".join(here)[:MAX_CHARACTERS], "\n".join(wanted)[:MAX_CHARACTERS])
    return ClosestLines(start + 1, start + len(here), percent)


def drop_overlapping(near: Sequence[ClosestLines]) -> list[ClosestLines]:
    """Drop runs that overlap a better one."""
    kept: list[ClosestLines] = []
    for one in near:
        if all(one.last < other.first or one.first > other.last for other in kept):
            kept.append(one)
    return kept
