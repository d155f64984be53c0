"""Merge two versions of a file that have one origin, as git does: line by line. Pure: knows bytes.

Changes of both sides that touch, with no unchanged line between them, are a conflict unless they are the same.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from .align import Aligned
from .patch import cut

# As git: a file with a NUL byte in its beginning is binary, and half of the bytes make two files similar.
BINARY_PROBE = 8_000
SIMILAR = 0.5

Change: TypeAlias = tuple[int, int, Sequence[str]]


def merge(base: bytes, one: bytes, other: bytes) -> bytes | None:
    """Return ``base`` with the changes of both sides; None where they conflict, or a side is binary."""
    if one == other or other == base:
        return one
    if one == base:
        return other
    if any(b"\0" in data[:BINARY_PROBE] for data in (base, one, other)):
        return None
    merged = merge_lines(*(lines(data) for data in (base, one, other)))
    return None if merged is None else "".join(merged).encode("latin-1")


def merge_lines(base: Sequence[str], one: Sequence[str], other: Sequence[str]) -> list[str] | None:
    """Merge lines; None where changes conflict."""
    merged: list[str] = []
    done = 0
    for start, end, sides in regions(changes(base, one), changes(base, other)):
        texts = [replaced(base[start:end], start, side) for side in sides if side]
        if any(text != texts[0] for text in texts):
            return None
        merged += [*base[done:start], *texts[0]]
        done = end
    return [*merged, *base[done:]]


def changes(base: Sequence[str], side: Sequence[str]) -> list[Change]:
    """Return what a side replaced: the first line and the end of each place in the base, and the new lines."""
    found = Aligned(base, side).get_opcodes()
    return [(i, j, side[k:m]) for tag, i, j, k, m in found if tag != "equal"]


def regions(one: Sequence[Change], other: Sequence[Change]) -> Iterator[tuple[int, int, tuple[list[Change], ...]]]:
    """Group changes of both sides that touch: where each group starts and ends, and the changes of each side."""
    rest = sorted([(change, 0) for change in one] + [(change, 1) for change in other], key=lambda each: each[0][:2])
    while rest:
        (start, end, _), _ = rest[0]
        count = 0
        while count < len(rest) and rest[count][0][0] <= end:
            end = max(end, rest[count][0][1])
            count += 1
        group, rest = rest[:count], rest[count:]
        yield start, end, tuple([change for change, side in group if side == number] for number in (0, 1))


def replaced(base: Sequence[str], start: int, some: Sequence[Change]) -> list[str]:
    """Return lines, which begin at ``start``, with some changes made."""
    made, done = [], 0
    for first, end, new in some:
        made += [*base[done : first - start], *new]
        done = end - start
    return [*made, *base[done:]]


def lines(data: bytes) -> list[str]:
    """Cut after each line feed; a character is a byte, so that every byte survives."""
    return cut(data.decode("latin-1"))


def similarity(one: bytes, other: bytes) -> float:
    """Return how much of the larger of two files both have in common, by lines, from 0 to 1."""
    if not (one and other):
        return 0.0
    common = Counter(one.splitlines(keepends=True)) & Counter(other.splitlines(keepends=True))
    return sum(len(line) * count for line, count in common.items()) / max(len(one), len(other))
