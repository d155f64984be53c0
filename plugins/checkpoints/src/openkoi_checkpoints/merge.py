"""Merge two versions of a file (three-way merge) with a common origin line by line, as git does.

Changes of both sides that touch, with no unchanged line between them, conflict unless they are the same.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from openkoi_base.files.reverse_patch import split_lines

from .line_matcher import LineMatcher

# As git: files with a NUL byte near the start are binary, and files that share half of their bytes are similar.
BINARY_PROBE_BYTES = 8_000
MIN_RENAME_SIMILARITY = 0.5

Change: TypeAlias = tuple[int, int, Sequence[str]]


def merge_files(base: bytes, one: bytes, other: bytes) -> bytes | None:
    """Return ``base`` with the changes of both sides, or None if they conflict or a side is binary."""
    if one == other or other == base:
        return one
    if one == base:
        return other
    if any(b"\0" in data[:BINARY_PROBE_BYTES] for data in (base, one, other)):
        return None
    merged = merge_lines(*(split_bytes_lines(data) for data in (base, one, other)))
    return None if merged is None else "".join(merged).encode("latin-1")


def merge_lines(base: Sequence[str], one: Sequence[str], other: Sequence[str]) -> list[str] | None:
    """Merge lines; return None if changes conflict."""
    merged: list[str] = []
    done = 0
    for start, end, sides in group_touching(changed_regions(base, one), changed_regions(base, other)):
        texts = [apply_changes(base[start:end], start, side) for side in sides if side]
        if any(text != texts[0] for text in texts):
            return None
        merged += [*base[done:start], *texts[0]]
        done = end
    return [*merged, *base[done:]]


def changed_regions(base: Sequence[str], side: Sequence[str]) -> list[Change]:
    """Return the changes of a side: first line and end of each region in the base, and the new lines."""
    found = LineMatcher(base, side).get_opcodes()
    return [(i, j, side[k:m]) for tag, i, j, k, m in found if tag != "equal"]


def group_touching(
    one: Sequence[Change], other: Sequence[Change]
) -> Iterator[tuple[int, int, tuple[list[Change], ...]]]:
    """Group touching changes of both sides: where each group starts and ends, and the changes of each side."""
    rest = sorted([(change, 0) for change in one] + [(change, 1) for change in other], key=lambda each: each[0][:2])
    while rest:
        (start, end, _), _ = rest[0]
        count = 0
        while count < len(rest) and rest[count][0][0] <= end:
            end = max(end, rest[count][0][1])
            count += 1
        group, rest = rest[:count], rest[count:]
        yield start, end, tuple([change for change, side in group if side == number] for number in (0, 1))


def apply_changes(base: Sequence[str], start: int, some: Sequence[Change]) -> list[str]:
    """Return lines, which begin at ``start``, with the changes applied."""
    made, done = [], 0
    for first, end, new in some:
        made += [*base[done : first - start], *new]
        done = end - start
    return [*made, *base[done:]]


def split_bytes_lines(data: bytes) -> list[str]:
    """Split after each line feed; a character is a byte, so that every byte survives."""
    return split_lines(data.decode("latin-1"))


def similarity(one: bytes, other: bytes) -> float:
    """Return how much of the larger of two files both have in common, by lines, from 0 to 1."""
    if not (one and other):
        return 0.0
    common = Counter(one.splitlines(keepends=True)) & Counter(other.splitlines(keepends=True))
    return sum(len(line) * count for line, count in common.items()) / max(len(one), len(other))
