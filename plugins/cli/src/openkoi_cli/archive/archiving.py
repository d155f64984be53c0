"""Keep the log within its limit by compressing the oldest sessions; nothing is deleted.

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

A_DAY = 86_400
BLOCK = 1 << 20


def size_of(log: Log) -> int:
    """Bytes of the whole log."""
    return sum(segment.size for segment in log.segments())


def keep_within(log: Log, limit: int) -> list[str]:
    """Archive the oldest sessions until the log is within the limit; return the archived segments.

    The newest session stays. Raise OSError when there is no room to compress anything.
    """
    done: list[str] = []
    over = size_of(log) - limit
    if over <= 0:
        return done
    private_folder(log.archive)
    with lock_beside(log.archive / "archive"):
        for segment in oldest(log):
            if over <= 0:
                break
            before = segment.size
            if put_away(segment, log.archive):
                done.append(segment.name)
                over -= before - (log.archive / f"{segment.name}.gz").stat().st_size
    return done


def oldest(log: Log) -> Iterator[Segment]:
    """Yield the segments that may be archived, the oldest first: those without a writer.

    Of the newest session only those before one that is being written: a program that lives long fills several.
    """
    sessions = [list(parts) for _, parts in groupby(log.segments(), key=lambda segment: segment.session)]
    for parts in sessions:
        written = [segment for segment in parts if not segment.archived]
        settled = [segment for segment in written if is_settled(segment)]
        if parts is not sessions[-1] or len(settled) < len(written):
            yield from settled


def is_settled(segment: Segment) -> bool:
    """Whether it can be read and its writer is gone. Where there are no locks, that is taken to be so after a day."""
    readable = segment.path.is_file() and os.access(segment.path, os.R_OK)
    if not readable or segment.size == 0 or segment.is_locked:
        return False
    return HAS_LOCKS or time.time() - segment.path.stat().st_mtime > A_DAY


def put_away(segment: Segment, archive: Path) -> bool:
    """Compress a segment, compare, and only then remove it; False when another file of its name is in the way."""
    packed = archive / f"{segment.name}.gz"
    if not packed.exists():
        compress(segment.path, packed)
        sync_folder(archive)
    if not same(segment, Segment(packed)):
        return False
    segment.path.unlink()
    return True


def compress(path: Path, to: Path) -> None:
    """Write a compressed copy for its user alone: all of it or none."""
    fresh = to.with_name(f".{to.name}.{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with path.open("rb") as source, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                shutil.copyfileobj(source, packed, BLOCK)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(to)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def same(one: Segment, other: Segment) -> bool:
    """Whether two segments hold the same, byte for byte."""
    try:
        with one.open() as left, other.open() as right:
            while True:
                block = left.read(BLOCK)
                if block != right.read(BLOCK):
                    return False
                if not block:
                    return True
    except (EOFError, gzip.BadGzipFile):
        return False
