"""Find the middle of a shortest edit between parts of two texts, searching from both ends (Myers 1986)."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass

# As git: above this many changes the search continues from the farthest point that it has reached.
MAX_EDITS = 256

Pair: TypeAlias = tuple[int, int]
Lines: TypeAlias = Sequence[str]


@dataclass(frozen=True, slots=True)
class Box:
    """A part of an old and a part of a new text, from ``start`` to before ``end``."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int

    @property
    def is_empty(self) -> bool:
        """Whether one of the parts has no line."""
        return self.old_start == self.old_end or self.new_start == self.new_end

    def split_at(self, point: Pair) -> list["Box"]:
        """Return the boxes before and after a point."""
        return [
            Box(self.old_start, point[0], self.new_start, point[1]),
            Box(point[0], self.old_end, point[1], self.new_end),
        ]


def trim_box(old: Lines, new: Lines, box: Box) -> Box:
    """Return the box without the lines that both parts have in common at the start and the end."""
    start, limit = 0, min(box.old_end - box.old_start, box.new_end - box.new_start)
    while start < limit and old[box.old_start + start] == new[box.new_start + start]:
        start += 1
    end, limit = 0, limit - start
    while end < limit and old[box.old_end - 1 - end] == new[box.new_end - 1 - end]:
        end += 1
    return Box(box.old_start + start, box.old_end - end, box.new_start + start, box.new_end - end)


def find_middle(old: Lines, new: Lines, box: Box) -> Pair:
    """Return a point in the middle of a shortest edit of a box, or the best point found within the limit."""
    forward, backward = Frontier(box, 1), Frontier(box, -1)
    is_odd = (forward.origin - backward.origin) % 2 == 1
    for _ in range(MAX_EDITS):
        for diagonal in forward.widen():
            place = forward.advance(diagonal, old, new)
            if is_odd and backward.has_passed(diagonal, place):
                return place, place - diagonal
        for diagonal in backward.widen():
            place = backward.advance(diagonal, old, new)
            if not is_odd and forward.has_passed(diagonal, place):
                return place, place - diagonal
    return max(forward.farthest(), backward.farthest())[1]


class Frontier:
    """How far each diagonal was followed, in steps from one end of a box: ``step`` is 1 forward, -1 backward.

    A diagonal is a line's position in the old text less that in the new one.
    """

    def __init__(self, box: Box, step: int) -> None:
        self.box, self.step = box, step
        self.start = (box.old_start, box.new_start) if step > 0 else (box.old_end, box.new_end)
        self.origin = self.start[0] - self.start[1]
        self.low = self.high = self.origin
        self.lowest, self.highest = box.old_start - box.new_end, box.old_end - box.new_start
        self.beyond = -1 if step > 0 else box.old_end + box.new_end + 1
        self.reached = {self.origin: self.start[0]}

    def widen(self) -> Iterator[int]:
        """Yield the diagonals that one more change can reach, the highest first."""
        if self.low > self.lowest:
            self.low -= 1
            self.reached[self.low - 1] = self.beyond
        else:
            self.low += 1
        if self.high < self.highest:
            self.high += 1
            self.reached[self.high + 1] = self.beyond
        else:
            self.high -= 1
        yield from range(self.high, self.low - 1, -2)

    def advance(self, diagonal: int, old: Lines, new: Lines) -> int:
        """Follow a diagonal by one change and the equal lines after it; return the position in the old text."""
        below, above, box = self.reached[diagonal - 1], self.reached[diagonal + 1], self.box
        if self.step > 0:
            i = below + 1 if below >= above else above
            while i < box.old_end and i - diagonal < box.new_end and old[i] == new[i - diagonal]:
                i += 1
        else:
            i = below if below < above else above - 1
            while i > box.old_start and i - diagonal > box.new_start and old[i - 1] == new[i - 1 - diagonal]:
                i -= 1
        self.reached[diagonal] = i
        return i

    def has_passed(self, diagonal: int, place: int) -> bool:
        """Return whether the search on this diagonal has reached or passed a position."""
        return self.low <= diagonal <= self.high and (place - self.reached[diagonal]) * self.step <= 0

    def farthest(self) -> tuple[int, Pair]:
        """Return how many lines the search has passed, and the point that it has reached."""
        points = [self.point_on(diagonal) for diagonal in range(self.low, self.high + 1, 2)]
        return max((abs(i - self.start[0]) + abs(j - self.start[1]), (i, j)) for i, j in points)

    def point_on(self, diagonal: int) -> Pair:
        """Return the point reached on a diagonal, within the box."""
        box = self.box
        i = min(
            max(self.reached[diagonal], box.old_start, box.new_start + diagonal), box.old_end, box.new_end + diagonal
        )
        return i, i - diagonal
