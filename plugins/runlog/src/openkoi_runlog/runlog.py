"""Write the run log: the truth that everything else is computed from. Knows files and records; knows no run or memory.

Each process writes a segment of its own (``<session>.jsonl``, then ``<session>.2.jsonl`` and so on) and never appends
to an old one, so that a torn tail cannot swallow what comes next. Acknowledged means written whole and synced. The
writer's lock is held for life, so that a reader can tell a torn tail from a line that is still being written.
"""

import os
import re
import secrets
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from time import time_ns

from openkoi_base.files import private_folder, sync_folder
from openkoi_base.files.filelock import lock_open_file
from openkoi_hookspecs import Event, KoiError, Record

from .blobs import blob_folder, store_blobs
from .packed import lines_from, packed_of
from .reading import all_segments
from .segment_names import part_of, segment_name
from .transcript import sealed, write_line

LARGEST = 32_000_000  # bytes of a segment: a program that lives for months fills several, and old ones are archived
MOMENT = "%Y-%m-%dT%H:%M:%S"
HEAD = re.compile(rb'\{"ts":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)"')


class LogFault(KoiError):
    """The run log cannot be written; what was written before is safe."""


class RunLog:
    """Writes one segment, and another one when it is large. The file is made with the first record."""

    def __init__(self, folder: Path, session: str, redact: Callable[[str], str], largest: int = LARGEST) -> None:
        self.largest = largest
        self.folder = folder
        self.session = session
        self.redact = redact
        self.file = -1
        self.path = folder
        self.name = ""
        self.end = 0
        self.count = 0
        self.mark = secrets.token_hex(6)
        self.last = ""

    def append(self, run: str, events: Iterable[Event]) -> list[Record]:
        """Write events; when this returns the durable ones are on the disk. Raises LogFault, and then none is."""
        if self.end > self.largest:
            self.close()
        if self.file < 0:
            self.open()
        records = [self.stamped(run, event) for event in events]
        blobs: dict[str, bytes] = {}
        data = b"".join(sealed(write_line(record, self.redact, blobs)) for record in records)
        try:
            if blobs:
                store_blobs(blobs, blob_folder(self.path))
            write_all(self.file, data)
            if any(record.event.durable for record in records):
                sync(self.file)
        except OSError as error:
            self.take_back()
            raise LogFault(
                f"The run log {self.path} cannot be written: {error.strerror}. Make room and go on."
            ) from error
        except BaseException:  # an interruption in the middle: what was not acknowledged was not written
            self.take_back()
            raise
        self.end += len(data)
        return records

    def stamped(self, run: str, event: Event) -> Record:
        """Give an event its id and its time; times never go back within a session."""
        self.count += 1
        seconds, rest = divmod(time_ns() // 1000, 1_000_000)
        self.last = max(self.last, f"{second(seconds)}.{rest:06d}Z")
        return Record(f"{self.mark}{self.count:08x}", self.last, run, event, segment=self.name)

    def take_back(self) -> None:
        """Leave no half line behind."""
        try:
            os.ftruncate(self.file, self.end)
        except OSError:
            self.close()

    def open(self) -> None:
        try:
            private_folder(self.folder)
            self.path, self.file = fresh_segment(self.folder, self.session)
            self.name = self.path.name
            if part_of(self.path) > 1 and not self.last:
                self.last = max(self.last, after(all_segments(self.folder, self.session)))
        except OSError as error:
            raise LogFault(f"No run log can be made in {self.folder}: {error.strerror}.") from error

    def close(self) -> None:
        """Let go of the segment; another one is made if anything is still to be written."""
        if self.file >= 0:
            os.close(self.file)
            self.file, self.end = -1, 0


def fresh_segment(folder: Path, session: str) -> tuple[Path, int]:
    """Make the first segment of the session that nobody has made yet, and lock it."""
    number = 1
    while True:
        path = folder / segment_name(session, number)
        number += 1
        if packed_of(path).exists():
            continue
        try:
            file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        lock_open_file(file)
        sync_folder(folder)
        return path, file


def after(paths: Iterable[Path]) -> str:
    """The next moment after all that a session says; empty where it says nothing yet."""
    told = (HEAD.match(line) for path in paths for line in lines_from(path))
    newest = max((found[1].decode() for found in told if found), default="")
    try:
        later = datetime.fromisoformat(newest) + timedelta(microseconds=1) if newest else None
    except (ValueError, OverflowError):
        return ""
    return f"{later:{MOMENT}.%fZ}" if later else ""


def write_all(file: int, data: bytes) -> None:
    done = os.write(file, data)
    while done < len(data):
        done += os.write(file, data[done:])


@lru_cache(maxsize=1)
def second(seconds: int) -> str:
    """A second of UTC as records have it; there are many in each."""
    return datetime.fromtimestamp(seconds, UTC).strftime(MOMENT)


def sync(file: int) -> None:
    getattr(os, "fdatasync", os.fsync)(file)


def session_id() -> str:
    """A new session's name: sorts by time, to the microsecond, and is nobody else's."""
    now = datetime.now(UTC)
    return f"{now:%Y%m%dT%H%M%S}-{now.microsecond:05x}{secrets.token_hex(3)}"
