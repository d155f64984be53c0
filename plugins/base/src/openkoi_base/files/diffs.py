"""Read the unified diffs that checkpoints return. Their headers never rename a file, so both paths are equal."""

import re
from collections.abc import Mapping, Sequence

from openkoi_hookspecs import Restoration
from openkoi_hookspecs.lazy_pattern import lazy_pattern

HEADER = lazy_pattern(r"^diff --git (.+)$", re.MULTILINE)
ESCAPED = lazy_pattern(rb"\\([0-7]{3}|.)")
MAX_NAMES = 10
LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


def changed_files(diff: str) -> tuple[str, ...]:
    """Return the paths of the files that a diff changes."""
    return tuple(split_by_file(diff))


def split_by_file(diff: str) -> Mapping[str, str]:
    """Return the part of a diff that changes each file, by the file's path."""
    headers = list(HEADER.finditer(diff))
    ends = [*(header.start() for header in headers[1:]), len(diff)]
    return {path_in(one[1]): diff[one.start() : end] for one, end in zip(headers, ends, strict=False)}


def count_lines(part: str) -> tuple[int, int]:
    """Return how many lines one file's part of a diff adds and removes."""
    lines = part.partition("\n@@")[2].splitlines()[1:]
    return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)


def format_names(names: Sequence[str], most: int = MAX_NAMES, separator: str = ", ") -> str:
    """Join names, such as those of files; show only the first of many, and how many more there are."""
    more = len(names) - most
    return separator.join(names[:most]) + (f" and {more} more" if more > 0 else "")


def warning_of(done: Restoration) -> str:
    """Return which files were not restored, and why; empty if all were."""
    files = [f"{path} ({reason})" for path, reason in done.not_restored.items()]
    return f"Not every file could be restored: {format_names(files, separator='; ')}." if files else ""


def path_in(header: str) -> str:
    """Return the path of a header's second half, with its escapes resolved."""
    second = header[len(header) // 2 + 1 :]
    if second.startswith('"'):
        plain = ESCAPED.sub(lambda match: resolve(match[1]), second[1:-1].encode())
        second = plain.decode("utf-8", "surrogateescape")
    return second.removeprefix("b/")


def resolve(escape: bytes) -> bytes:
    """Return the byte that an escape stands for."""
    return bytes([int(escape, 8)]) if len(escape) == 3 else LETTERS.get(escape, escape)
