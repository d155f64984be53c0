"""Read the log line by line, check every byte, and report damage."""

import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from openkoi_hookspecs import Event, Record
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import (
    add_checksum,
    blob_folder,
    blob_path,
    find_digests,
    read_line,
    redact_json,
    select_lines,
)
from openkoi_runlog.blobs import NO_BLOBS
from openkoi_runlog.record_format import dumps, parse_line

from .segments import Segment

REQUIRED_KEYS = ("ts", "type", "id", "run")
TORN_LINE = "it is incomplete, because writing it was interrupted"


@dataclass(frozen=True, slots=True)
class SegmentError:
    """An error in a segment; ``line`` is 0 for the whole segment."""

    segment: str
    line: int
    text: str

    def __str__(self) -> str:
        """Format for output."""
        return f"{self.segment}, line {self.line}: {self.text}" if self.line else f"{self.segment}: {self.text}"


@dataclass(frozen=True, slots=True)
class SegmentLine:
    """An intact line: its bytes, its values, and the offset of its end."""

    segment: str
    number: int
    raw: bytes
    values: Mapping[str, Any]
    end: int
    blobs: Path = NO_BLOBS

    @property
    def id(self) -> str:
        """The record's id."""
        return str(self.values.get("id", ""))

    @property
    def run(self) -> str:
        """The run that it belongs to, if any."""
        return str(self.values.get("run", ""))

    @property
    def at(self) -> str:
        """The time it was written."""
        return str(self.values.get("ts", ""))

    def is_kind(self, kind: type[Event]) -> bool:
        """Return whether its event is of this kind."""
        return any(select_lines((self.raw,), (kind,)))

    @property
    def record(self) -> Record:
        """The record."""
        return read_line(self.raw, self.segment, self.end, self.blobs)

    @property
    def files(self) -> dict[str, Path]:
        """The files of the blobs that it refers to, by digest."""
        return {digest: blob_path(digest, self.blobs) for digest in find_digests(self.raw)}


Report = Callable[[SegmentError], object]


def read_lines(segment: Segment, report: Report = lambda _: None) -> Iterator[SegmentLine]:
    """Yield the intact lines of a segment, and report errors; ignore a tail that is being written."""
    number, end = 0, 0
    try:
        with segment.open() as file:
            for raw in file:
                number, end = number + 1, end + len(raw)
                if not raw.endswith(b"\n"):
                    if not segment.is_locked:
                        report(SegmentError(segment.name, number, TORN_LINE))
                    return
                if (values := parse_intact(raw)) is None:
                    report(SegmentError(segment.name, number, "it is damaged: the checksum does not match"))
                    continue
                yield SegmentLine(segment.name, number, raw, values, end, blob_folder(segment.path))
        if segment.is_archived and not number:
            report(SegmentError(segment.name, 0, "it cannot be read: it is empty"))
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        report(SegmentError(segment.name, 0, f"it cannot be read{f' after line {number}' if number else ''}: {reason}"))


def parse_intact(raw: bytes) -> Mapping[str, Any] | None:
    """Return a line's values, if it is intact and has the required keys."""
    try:
        values = parse_line(raw)
    except (ValueError, RecursionError):
        return None
    return values if all(isinstance(values.get(key), str) for key in REQUIRED_KEYS) and values["id"] else None


def redact_line(line: SegmentLine, redact: Callable[[str], str]) -> SegmentLine:
    """Return a line without known secrets."""
    rest = {key: value for key, value in line.values.items() if key not in REQUIRED_KEYS}
    clean = redact_json(rest, redact)
    if clean == rest:
        return line
    values = {**{key: line.values[key] for key in REQUIRED_KEYS}, **clean}
    raw = add_checksum(dumps(values))
    return SegmentLine(line.segment, line.number, raw, values, line.end, line.blobs)
