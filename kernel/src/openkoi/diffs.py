"""Read the unified diffs that checkpoints return. Nothing is renamed in them, so both paths of a header are alike."""

import re
from collections.abc import Sequence

HEADER = re.compile(r"^diff --git (.+)$", re.MULTILINE)
ESCAPED = re.compile(rb"\\([0-7]{3}|.)")
LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


def changed_files(diff: str) -> tuple[str, ...]:
    """Return the paths of the files that a diff changes."""
    return tuple(dict.fromkeys(path_in(match[1]) for match in HEADER.finditer(diff)))


def format_names(names: Sequence[str], most: int = 10) -> str:
    """Return the names of files, the first ones of many."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


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
