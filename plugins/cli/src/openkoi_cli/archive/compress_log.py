"""Compress the oldest sessions when the log becomes larger than its limit (`max_storage_mb`); delete nothing.

A segment with a writer is never touched: a writer locks it before the first byte, so one with bytes and without a lock
has no writer.
"""

import gzip
import os
import shutil
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from openkoi_base.files import lock_beside, private_folder, sync_folder
from openkoi_base.files.filelock import HAS_LOCKS

from .segments import Log, Segment

DAY_SECONDS = 86_400
BLOCK_BYTES = 1 << 20


def log_size(log: Log) -> int:
    """Return the size of the log in bytes."""
    return sum(segment.size for segment in log.segments())


def archive_oldest(log: Log, limit: int) -> list[str]:
    """Archive the oldest sessions until the log is within the limit; return the archived segments.

    The newest session stays. Raise OSError if there is no room to compress anything.
    """
    done: list[str] = []
    over = log_size(log) - limit
    if over <= 0:
        return done
    private_folder(log.archive)
    with lock_beside(log.archive / "archive"):
        for segment in list_archivable(log):
            if over <= 0:
                break
            before = segment.size
            if archive_segment(segment, log.archive):
                done.append(segment.name)
                over -= before - (log.archive / f"{segment.name}.gz").stat().st_size
    return done


def list_archivable(log: Log) -> Iterator[Segment]:
    """Yield the segments that may be archived, oldest first: those without a writer.

    In the newest session, only the segments before one that is being written: long-running programs fill several.
    """
    sessions = [list(parts) for _, parts in groupby(log.segments(), key=lambda segment: segment.session)]
    for parts in sessions:
        written = [segment for segment in parts if not segment.is_archived]
        settled = [segment for segment in written if is_settled(segment)]
        if parts is not sessions[-1] or len(settled) < len(written):
            yield from settled


def is_settled(segment: Segment) -> bool:
    """Return whether a segment is readable and has no writer; on platforms without locks, assume that after a day."""
    readable = segment.path.is_file() and os.access(segment.path, os.R_OK)
    if not readable or segment.size == 0 or segment.is_locked:
        return False
    return HAS_LOCKS or time.time() - segment.path.stat().st_mtime > DAY_SECONDS


def archive_segment(segment: Segment, archive: Path) -> bool:
    """Compress, verify and remove a segment; return False if a different file already has its name."""
    packed = archive / f"{segment.name}.gz"
    if not packed.exists():
        compress_file(segment.path, packed)
        sync_folder(archive)
    if not is_equal(segment, Segment(packed)):
        return False
    segment.path.unlink()
    return True


def compress_file(path: Path, to: Path) -> None:
    """Write a compressed private copy, all or nothing."""
    fresh = to.with_name(f".{to.name}.{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with path.open("rb") as source, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                shutil.copyfileobj(source, packed, BLOCK_BYTES)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(to)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def is_equal(one: Segment, other: Segment) -> bool:
    """Return whether two segments have the same content."""
    try:
        with one.open() as left, other.open() as right:
            while True:
                block = left.read(BLOCK_BYTES)
                if block != right.read(BLOCK_BYTES):
                    return False
                if not block:
                    return True
    except (EOFError, gzip.BadGzipFile):
        return False
