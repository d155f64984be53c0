"""The files of the log wherever they lie: as they were written, or compressed in ``archive`` beside their folder.

A segment keeps its name and its offsets when it is put away, also between two looks at it. One that cannot be read is
left out, and said so once. Knows bytes and names; knows no record.
"""

import logging
import os
import zlib
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import IO

PACKED = ".gz"
FOUR_BYTES = 1 << 32


def folders(sessions: Path) -> tuple[Path, Path]:
    """Where the log is written, and where it is put away; looked through in this order, nothing is missed."""
    return sessions, sessions.parent / "archive"


def name_of(path: Path) -> str:
    """A segment's name as it was written."""
    return path.name.removesuffix(PACKED)


def beyond(path: Path, seen: int) -> bool:
    """Whether a segment has more than what was seen of it; one that cannot be looked at has."""
    try:
        if is_packed(path):
            return length_of(path) != seen % FOUR_BYTES
        return path.stat().st_size > seen
    except OSError:
        return True


def is_packed(path: Path) -> bool:
    """Whether it was put away."""
    return path.name.endswith(PACKED)


def length_of(path: Path) -> int:
    """How long a packed segment is unpacked; of a very long one the rest beyond four gigabytes."""
    return int.from_bytes(tail_of(path)[4:], "little")


def seal_of(path: Path) -> str:
    """What tells a packed segment from another one of its name: its checksum and its length."""
    return tail_of(path).hex()


@lru_cache(maxsize=1 << 16)
def tail_of(path: Path) -> bytes:
    """The last eight bytes of a packed segment; it never changes."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.lseek(file, -8, os.SEEK_END)
        return os.read(file, 8)
    finally:
        os.close(file)


def lines_from(path: Path, start: int = 0) -> Iterator[bytes]:
    """The lines of a segment from an offset on, up to where it cannot be read."""
    try:
        with unpacked(path) as file:
            file.seek(start)
            yield from file
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        leave_out(path, str(reason))


def unpacked(path: Path) -> IO[bytes]:
    """A segment as it was written, from wherever it is by now."""
    with suppress(FileNotFoundError):
        return opened_file(path)
    packed = packed_of(path)
    return opened_file(packed if packed.exists() else path)


def packed_of(path: Path) -> Path:
    """Where a segment is when it was put away."""
    return folders(path.parent)[1] / f"{path.name}{PACKED}"


def opened_file(path: Path) -> IO[bytes]:
    """A file to read, unpacked."""
    if not is_packed(path):
        return path.open("rb")
    import gzip

    return gzip.open(path)  # type: ignore[return-value]  # it reads bytes, as any other


@lru_cache(maxsize=1 << 10)
def leave_out(path: Path, reason: str) -> None:
    """Say once that a segment cannot be read."""
    logging.getLogger("openkoi").warning(
        "The log's file %s cannot be read (%s); what it tells is left out. Mend it, or move it away.", path, reason
    )
