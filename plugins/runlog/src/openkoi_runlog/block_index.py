"""Index which kinds of events each block of a segment contains, so that readers skip blocks that they do not need.

Only the process that writes a segment has its index: a run can thus be read at its end in the same time, however many
steps it took. All others scan the segment, and find the same.
"""

from array import array
from bisect import bisect_right
from collections.abc import Set
from sys import maxsize

BLOCK_BYTES = 8_192  # of the lines in a block, unless a single append is longer: what a file object reads at once

Span = tuple[int, int]


class BlockIndex:
    """Where the blocks of a segment start, and the kinds in each. The last block still grows and is always read."""

    __slots__ = ("end", "kinds", "shared", "starts")

    def __init__(self) -> None:
        self.end = 0
        self.starts = array("Q", [0])
        self.kinds: list[frozenset[bytes]] = [frozenset()]
        self.shared: dict[frozenset[bytes], frozenset[bytes]] = {}

    def add(self, size: int, kinds: frozenset[bytes]) -> None:
        """Add lines of these kinds, which were written at the end."""
        if self.end > self.starts[-1] and self.end + size > self.starts[-1] + BLOCK_BYTES:
            self.kinds[-1] = self.shared.setdefault(self.kinds[-1], self.kinds[-1])
            self.kinds.append(kinds)
            self.starts.append(self.end)
        elif not kinds <= self.kinds[-1]:
            self.kinds[-1] |= kinds
        self.end += size

    def spans(self, start: int, wanted: Set[bytes]) -> list[Span]:
        """Return the spans to read from an offset on for lines of some kinds; the last span ends with the file."""
        starts = self.starts.tolist()  # the writer is in another thread
        last = len(starts) - 1
        needed = [
            block for block in range(bisect_right(starts, start) - 1, last) if not wanted.isdisjoint(self.kinds[block])
        ]
        ends, found = [*starts[1:], maxsize], list[Span]()
        for block in [*needed, last]:
            first = max(start, starts[block])
            if found and found[-1][1] == first:
                first = found.pop()[0]
            found.append((first, ends[block]))
        return found
