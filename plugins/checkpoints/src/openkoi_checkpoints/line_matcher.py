"""Match the common lines of two texts as git does, so that merges conflict where git's do.

The fewest changes are searched among the lines that can match and are not noise; then each group of changes moves to
where git shows it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import Match, SequenceMatcher
from itertools import takewhile

from .change_groups import slide_groups
from .shortest_edit import Box, Lines, Pair, find_middle, trim_box

# As git: a line that occurs often is noise if such lines are less than a quarter of those around it.
MAX_OCCURRENCES = 1_024
NOISE_WINDOW = 100
NOISE_SHARE = 4
UNMATCHED, MATCHED, COMMON = range(3)


class LineMatcher(SequenceMatcher[str]):
    """Match lines by the fewest changes; the standard library groups the matches."""

    def __init__(self, old: Lines, new: Lines) -> None:
        self.old, self.new = old, new
        super().__init__(None, (), ())
        self.a, self.b = old, new

    def get_matching_blocks(self) -> list[Match]:
        """Return all runs of equal lines in order, ending with an empty one."""
        return [*join_adjacent(matching_lines(self.old, self.new)), Match(len(self.old), len(self.new), 0)]


def matching_lines(old: Lines, new: Lines) -> Iterator[Pair]:
    """Yield the positions of lines that both texts have in common, in order."""
    changed = find_changed_lines(old, new)
    slide_groups(old, *changed)
    slide_groups(new, *reversed(changed))
    return zip(*([n for n, is_changed in enumerate(flags) if not is_changed] for flags in changed), strict=True)


def find_changed_lines(old: Lines, new: Lines) -> tuple[list[bool], list[bool]]:
    """Return for each line of both texts whether it is deleted or inserted."""
    box = trim_box(old, new, Box(0, len(old), 0, len(new)))
    old_lines = list(lines_to_match(old, new, box.old_start, box.old_end))
    new_lines = list(lines_to_match(new, old, box.new_start, box.new_end))
    is_old_changed = [box.old_start <= n < box.old_end for n in range(len(old))]
    is_new_changed = [box.new_start <= n < box.new_end for n in range(len(new))]
    for i, j in common_pairs([old[n] for n in old_lines], [new[n] for n in new_lines]):
        is_old_changed[old_lines[i]] = is_new_changed[new_lines[j]] = False
    return is_old_changed, is_new_changed


def lines_to_match(text: Lines, other: Lines, start: int, end: int) -> Iterator[int]:
    """Yield the positions of a part's lines, without those that the other text lacks and common lines among them."""
    counts, limit = Counter(other), common_from(len(text))
    kinds = [COMMON if counts[line] >= limit else min(counts[line], MATCHED) for line in text[start:end]]
    for place, kind in enumerate(kinds):
        if kind == MATCHED or (kind == COMMON and not is_noise(kinds, place)):
            yield start + place


def common_from(count: int) -> int:
    """Return how many occurrences make a line common: a power of two near the square root of the number of lines."""
    return min(1 << (count.bit_length() + 1) // 2, MAX_OCCURRENCES)


def is_noise(kinds: Sequence[int], place: int) -> bool:
    """Return whether a common line has lines that match nothing on both sides, and few other common ones."""
    above = count_until_matched(reversed(kinds[max(0, place - NOISE_WINDOW) : place]))
    below = count_until_matched(kinds[place + 1 : place + 1 + NOISE_WINDOW])
    around, unmatched = above + below, above[UNMATCHED] + below[UNMATCHED]
    common = around[COMMON] + 2  # the line itself counts once for each side
    return bool(above[UNMATCHED] and below[UNMATCHED]) and common * NOISE_SHARE < common + unmatched


def count_until_matched(kinds: Iterable[int]) -> Counter[int]:
    """Count the lines of each kind before the first that is matched and not common."""
    return Counter(takewhile(lambda kind: kind != MATCHED, kinds))


def common_pairs(old: Lines, new: Lines) -> Iterator[Pair]:
    """Yield the pairs of equal lines of a shortest edit, in any order."""
    boxes = [Box(0, len(old), 0, len(new))]
    while boxes:
        box = boxes.pop()
        inner = trim_box(old, new, box)
        yield from zip(range(box.old_start, inner.old_start), range(box.new_start, inner.new_start), strict=True)
        yield from zip(range(inner.old_end, box.old_end), range(inner.new_end, box.new_end), strict=True)
        if not inner.is_empty:
            boxes.extend(inner.split_at(find_middle(old, new, inner)))


def join_adjacent(pairs: Iterable[Pair]) -> list[Match]:
    """Return the runs of adjacent pairs."""
    runs: list[Match] = []
    for i, j in pairs:
        if runs and (i, j) == (runs[-1].a + runs[-1].size, runs[-1].b + runs[-1].size):
            runs[-1] = runs[-1]._replace(size=runs[-1].size + 1)
        else:
            runs.append(Match(i, j, 1))
    return runs
