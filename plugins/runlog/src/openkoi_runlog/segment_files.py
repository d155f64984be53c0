"""Read segments of the log, whether current or compressed in the archive.

A segment keeps its name and offsets when it is archived, even between two reads. Unreadable segments are skipped with
one warning.
"""

import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import IO

PACKED = ".gz"
FOUR_BYTES = 1 << 32


def log_folders(sessions: Path) -> tuple[Path, Path]:
    """Return the folders of current and archived segments; read in this order, none is missed."""
    return sessions, sessions.parent / "archive"


def original_name(path: Path) -> str:
    """Return a segment's uncompressed name."""
    return path.name.removesuffix(PACKED)


def has_more(path: Path, seen: int) -> bool:
    """Return whether a segment has more bytes than were read; true if that is unknown."""
    try:
        if is_packed(path):
            return uncompressed_length(path) != seen % FOUR_BYTES
        return path.stat().st_size > seen
    except OSError:
        return True


def is_packed(path: Path) -> bool:
    """Return whether a segment is archived."""
    return path.name.endswith(PACKED)


def uncompressed_length(path: Path | str) -> int:
    """Return the unpacked length of a packed segment, modulo four gigabytes."""
    return int.from_bytes(read_tail(str(path))[4:], "little")


def read_checksum(path: Path) -> str:
    """Return the checksum and length that identify a compressed segment."""
    return read_tail(str(path)).hex()


@lru_cache(maxsize=1 << 16)
def read_tail(path: str) -> bytes:
    """Return the last eight bytes of a compressed segment, which never changes."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.lseek(file, -8, os.SEEK_END)
        return os.read(file, 8)
    finally:
        os.close(file)


def iterate_lines(path: Path, start: int = 0) -> Iterator[bytes]:
    """Yield the lines of a segment from an offset on, up to the first unreadable place."""
    with warn_unless_readable(path), open_segment(path) as file:
        file.seek(start)
        yield from file


def iterate_spans(path: Path, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of some spans of a segment, each with its end, up to the first unreadable place."""
    with warn_unless_readable(path), open_segment(path) as file:
        for end, last in spans:
            file.seek(end)
            for line in file:
                end += len(line)
                yield end, line
                if end >= last:
                    break


@contextmanager
def warn_unless_readable(path: Path) -> Iterator[None]:
    """Stop reading a segment at an unreadable place, and warn about it."""
    try:
        yield
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        warn_unreadable(path, str(reason))


def open_segment(path: Path) -> IO[bytes]:
    """Open a segment's uncompressed content, even if it was just archived."""
    with suppress(FileNotFoundError):
        return open_file(path)
    packed = archived_path(path)
    return open_file(packed if packed.exists() else path)


def archived_path(path: Path) -> Path:
    """Return the path of an archived segment."""
    return log_folders(path.parent)[1] / f"{path.name}{PACKED}"


def open_file(path: Path) -> IO[bytes]:
    """Open a file for reading, decompressed."""
    if not is_packed(path):
        return path.open("rb")
    import gzip

    return gzip.open(path)  # type: ignore[return-value]  # it reads bytes, as any other


@lru_cache(maxsize=1 << 10)
def warn_unreadable(path: Path, reason: str) -> None:
    """Warn once about an unreadable segment."""
    import logging

    logging.getLogger("openkoi").warning(
        "Cannot read the log file %s (%s); skipping it. Repair the file, or move it elsewhere.", path, reason
    )
