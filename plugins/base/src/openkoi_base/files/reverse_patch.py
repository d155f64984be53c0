"""Compute the content of a file before a checkpoint's diff changed it."""

import re
from collections.abc import Iterator, Sequence

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

HUNK = lazy_pattern(r"^@@ -\d+,\d+ \+(\d+),(\d+) @@\n", re.MULTILINE)
BINARY = lazy_pattern(r"^Binary files ", re.MULTILINE)
NO_LINE_FEED = "\n\\ No newline at end of file\n"
CUT = "\0\n"  # no text in a diff contains a null


@dataclass(frozen=True, slots=True)
class Hunk:
    """A changed part of a file: its first line, counted from zero, and its old and new lines."""

    start: int
    old: Sequence[str]
    new: Sequence[str]


def reverse_patch(part: str, text: str) -> str | None:
    """Return a file's text before a diff's part changed it; None if the part does not match its current text.

    A file that the part creates had no text.
    """
    now, before, place = split_lines(text), [""], 0
    if BINARY.search(part):
        return None
    for hunk in read_hunks(part):
        end = hunk.start + len(hunk.new)
        if now[hunk.start : end] != hunk.new:
            return None
        before += [*now[place : hunk.start], *hunk.old]
        place = end
    return "".join([*before, *now[place:]])


def read_hunks(part: str) -> Iterator[Hunk]:
    """Yield the hunks of a diff's part."""
    heads = list(HUNK.finditer(part))
    starts = [*(head.start() for head in heads), len(part)]
    for head, end in zip(heads, starts[1:], strict=True):
        body = part[head.end() : end].replace(NO_LINE_FEED, CUT)
        start = int(head[1]) - 1 if int(head[2]) else int(head[1])
        yield Hunk(start, side_of(body, " -"), side_of(body, " +"))


def side_of(body: str, signs: str) -> list[str]:
    """Return the lines of a hunk that start with one of these characters."""
    return [line[1:].removesuffix(CUT) for line in split_lines(body) if line[0] in signs]


def split_lines(text: str) -> list[str]:
    """Split a text only after line feeds."""
    *whole, rest = text.split("\n")
    return [f"{line}\n" for line in whole] + ([rest] if rest else [])
