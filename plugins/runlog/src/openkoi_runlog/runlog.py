"""Append records to the run log and sync them to disk (fsync); everything else is computed from it.

Each process writes its own segment (``<session>.jsonl``, then ``<session>.2.jsonl`` and so on) and never appends to an
old one, so that an incomplete last line cannot damage the next one. The writer holds a lock until it ends, so that a
reader can distinguish an incomplete line from one that is still being written.

Acknowledged means completely written and synced. Other lines are written together with urgent ones, at the latest when
the turn of the event loop ends: a process that is killed loses at most what it logged in that turn.
"""

import asyncio
import os
import secrets
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from time import time_ns

from openkoi_base.files import private_folder, sync_folder
from openkoi_base.files.filelock import lock_open_file
from openkoi_hookspecs import Event, KoiError, Record
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .blobs import blob_folder, store_blobs
from .block_index import BlockIndex
from .json_redactor import JsonRedactor
from .read_segments import list_all_segments
from .record_format import add_checksum, encode_record
from .segment_files import archived_path, iterate_lines
from .segment_names import check_format, parse_part, segment_name
from .select_records import SPANS, name_line

MOST_BUFFERED = 256  # appends: a plugin may log a thousand events without yielding to the event loop
LARGEST = 32_000_000  # bytes of a segment: a program that lives for months fills several, and old ones are archived
TIME_FORMAT = "%Y-%m-%dT%H:%M:%S"
LINE_START = lazy_pattern(rb'\{"ts":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)"')


class LogWriteError(KoiError):
    """The run log cannot be written; what was written before is safe."""


class RunLog:
    """Writes one segment, and starts another one when it is large. The file is created with the first record.

    ``runs`` is how many runs write to it now: several of them wait for one sync. ``buffer`` has the lines of each
    ``append`` that are not written yet, with their run and kinds; ``failed`` says why a run's lines could not be
    written.
    """

    def __init__(self, folder: Path, session: str, redact: Callable[[str], str], largest: int = LARGEST) -> None:
        self.largest = largest
        self.folder = folder
        self.session = session
        self.mask = JsonRedactor(redact)
        self.file = -1
        self.path = folder
        self.name = ""
        self.end = 0
        self.synced = 0
        self.runs = 0
        self.index = BlockIndex()
        self.buffer: list[tuple[str, bytes, frozenset[bytes]]] = []
        self.needs_sync = False
        self.scheduled = False
        self.failed: dict[str, LogWriteError] = {}
        self.waiting: list[tuple[str, asyncio.Future[None]]] = []
        self.count = 0
        self.mark = secrets.token_hex(6)
        self.last = ""

    def append(self, run: str, events: Iterable[Event], *, sync: bool = True) -> list[Record]:
        """Log events; when this returns the urgent ones are on the disk. Raises LogWriteError, and then none is.

        Without ``sync`` they are on the disk when ``commit`` returns. All others are written, and synced if they are
        durable, at the latest when this turn of the event loop ends; if that fails, the run's next ``append`` raises.
        """
        if self.failed:
            self.raise_failure(run)
        if self.end > self.largest:
            self.close()
        if self.file < 0:
            self.open()
        blobs: dict[str, bytes] = {}
        self.mask.begin(blobs)
        records, lines, kinds, durable = [], [], [], []
        for event in events:
            record = self.make_record(run, event)
            records.append(record)
            lines.append(line := add_checksum(encode_record(record, self.mask)))
            kinds.append(name_line(line))
            if event.durable:
                durable.append(event)
        try:
            if blobs:
                store_blobs(blobs, blob_folder(self.path))
        except OSError as error:
            raise self.write_error(error) from error
        self.buffer.append((run, b"".join(lines), frozenset(kinds)))
        self.needs_sync = self.needs_sync or bool(durable)
        urgent = durable and sync and any(map(is_urgent, durable))
        if urgent or len(self.buffer) >= MOST_BUFFERED or not (self.scheduled or self.schedule()):
            self.write()
            self.raise_failure(run)
        return records

    def raise_failure(self, run: str) -> None:
        """Raise the error with which lines of this run could not be written, unless it was already raised."""
        if self.failed and (error := self.failed.pop(run, None)):
            raise error

    def schedule(self) -> bool:
        """Schedule writing the buffer at the end of this turn of the event loop; return False without an event loop."""
        if not self.scheduled:
            try:
                asyncio.get_running_loop().call_soon(self.end_turn)
            except RuntimeError:
                return False
            self.scheduled = True
        return True

    async def commit(self, run: str) -> None:
        """Wait until a run's lines are on disk, together with those that others append in the same turn of the loop."""
        done = asyncio.get_running_loop().create_future()
        self.waiting.append((run, done))
        self.schedule()
        try:
            await done
        except asyncio.CancelledError:
            self.end_turn()
            raise

    def end_turn(self) -> None:
        """Write and sync the buffer, and wake all runs that wait for it."""
        self.scheduled = False
        self.write()
        if not self.waiting:
            return
        waiting, self.waiting = self.waiting, []
        waiting = [(run, done) for run, done in waiting if not done.done()]
        failed = {run: self.failed.pop(run, None) for run in {run for run, _ in waiting}}
        for run, done in waiting:
            error = failed[run]
            done.set_exception(error) if error else done.set_result(None)

    def write(self) -> None:
        """Write the buffer, and sync it if any of it is durable; if that fails, none of it is in the log."""
        if not self.buffer:
            return
        buffer, data = self.buffer, b"".join([data for _, data, _ in self.buffer])
        try:
            write_all(self.file, data)
            if self.needs_sync:
                sync_file(self.file)
            end = self.end + len(data)
            synced = end if self.needs_sync else self.synced
            vars(self).update(end=end, synced=synced, buffer=[], needs_sync=False)  # at once, whatever interrupts it
            for _, lines, kinds in buffer:
                self.index.add(len(lines), kinds)
        except OSError as error:
            self.failed |= dict.fromkeys((run for run, _, _ in self.buffer), self.write_error(error))
            self.buffer, self.needs_sync = [], False
            self.truncate_partial()
        except BaseException:  # an interruption: the lines are in the log as a whole, or are written again
            SPANS.pop(self.path, None)  # they may be missing in the index
            self.truncate_partial()
            raise

    def write_error(self, error: OSError) -> LogWriteError:
        return LogWriteError(f"The run log {self.path} cannot be written: {describe_failure(error)}")

    def make_record(self, run: str, event: Event) -> Record:
        """Give an event its id and its time; times never go back within a session."""
        self.count += 1
        seconds, rest = divmod(time_ns() // 1000, 1_000_000)
        now = f"{format_second(seconds)}.{rest:06d}Z"
        if now > self.last:
            self.last = now
        return Record(f"{self.mark}{self.count:08x}", self.last, run, event, segment=self.name)

    def truncate_partial(self) -> None:
        """Remove an incomplete line."""
        try:
            os.ftruncate(self.file, self.end)
        except OSError:
            self.close()

    def open(self) -> None:
        try:
            private_folder(self.folder)
            check_format(self.folder)
            self.path, self.file = create_segment(self.folder, self.session)
            self.name = self.path.name
            self.index = BlockIndex()
            SPANS[self.path] = self.index.spans
            if parse_part(self.path) > 1 and not self.last:
                self.last = max(self.last, next_time(list_all_segments(self.folder, self.session)))
        except OSError as error:
            raise LogWriteError(f"Cannot create a run log in {self.folder}: {describe_failure(error)}") from error

    def close(self) -> None:
        """Close the segment; a new one is created if anything else must be written."""
        if self.file >= 0:
            self.end_turn()
            os.close(self.file)
            SPANS.pop(self.path, None)
            self.file, self.end, self.synced = -1, 0, 0


def describe_failure(error: OSError) -> str:
    """Return why the log cannot be written, and how to continue."""
    from openkoi_base.files import describe_write_error

    return f"{describe_write_error(error)} and continue."


def create_segment(folder: Path, session: str) -> tuple[Path, int]:
    """Create the first unused segment of the session, and lock it."""
    number = 1
    while True:
        path = folder / segment_name(session, number)
        number += 1
        if archived_path(path).exists():
            continue
        try:
            file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        lock_open_file(file)
        sync_folder(folder)
        return path, file


def next_time(paths: Iterable[Path]) -> str:
    """Return a time after all records of a session; empty if it has none."""
    starts = (LINE_START.match(line) for path in paths for line in iterate_lines(path))
    newest = max((found[1].decode() for found in starts if found), default="")
    try:
        later = datetime.fromisoformat(newest) + timedelta(microseconds=1) if newest else None
    except (ValueError, OverflowError):
        return ""
    return f"{later:{TIME_FORMAT}.%fZ}" if later else ""


def is_urgent(event: Event) -> bool:
    """Return whether an event must be on disk before the run continues."""
    return event.durable and not event.batched


def write_all(file: int, data: bytes) -> None:
    done = os.write(file, data)
    while done < len(data):
        done += os.write(file, data[done:])


@lru_cache(maxsize=1)
def format_second(seconds: int) -> str:
    """Format a second of UTC as in records; cached because each has many records."""
    return datetime.fromtimestamp(seconds, UTC).strftime(TIME_FORMAT)


def sync_file(file: int) -> None:
    getattr(os, "fdatasync", os.fsync)(file)


def new_session_id() -> str:
    """Return a unique name for a session that sorts by time."""
    now = datetime.now(UTC)
    return f"{now:%Y%m%dT%H%M%S}-{now.microsecond:05x}{secrets.token_hex(3)}"
