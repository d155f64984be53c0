"""The log line by line, every byte of it looked at: what is sound, and what is wrong with the rest.

Knows lines and their checksums; knows what no event means.
"""

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openkoi_hookspecs import Event, Record
from openkoi_runlog import blob_folder, digests_in, is_kind, masked, path_of, read_line, sealed, spelled
from openkoi_runlog.blobs import NOWHERE
from openkoi_runlog.transcript import dumps, opened

from .segments import Segment

HEAD = ("ts", "type", "id", "run")
TORN = "it ends in a torn line, which was never acknowledged"


@dataclass(frozen=True, slots=True)
class SegmentError:
    """Something wrong with a segment; ``line`` is 0 when it is about the whole."""

    segment: str
    line: int
    text: str

    def __str__(self) -> str:
        """As a person reads it."""
        return f"{self.segment}, line {self.line}: {self.text}" if self.line else f"{self.segment}: {self.text}"


@dataclass(frozen=True, slots=True)
class SegmentLine:
    """A sound line: its bytes, what it says, and where it ends."""

    segment: str
    number: int
    raw: bytes
    said: Mapping[str, Any]
    end: int
    blobs: Path = NOWHERE

    @property
    def id(self) -> str:
        """The record's id."""
        return str(self.said.get("id", ""))

    @property
    def run(self) -> str:
        """The run that it belongs to; empty for none."""
        return str(self.said.get("run", ""))

    @property
    def at(self) -> str:
        """When it was written."""
        return str(self.said.get("ts", ""))

    def is_kind(self, kind: type[Event]) -> bool:
        """Whether its event is of this kind."""
        return is_kind(self.raw, spelled((kind,)))

    @property
    def record(self) -> Record:
        """The record in it."""
        return read_line(self.raw, self.segment, self.end, self.blobs)

    @property
    def files(self) -> dict[str, Path]:
        """The files of the bytes that it refers to, by digest."""
        return {digest: path_of(digest, self.blobs) for digest in digests_in(self.raw)}


Report = Callable[[SegmentError], object]


def lines_of(segment: Segment, report: Report = lambda _: None) -> Iterator[SegmentLine]:
    """The sound lines of a segment; what is wrong with it is reported. A tail that is still written is left alone."""
    number, end = 0, 0
    try:
        with segment.open() as file:
            for raw in file:
                number, end = number + 1, end + len(raw)
                if not raw.endswith(b"\n"):
                    if not segment.is_locked:
                        report(SegmentError(segment.name, number, TORN))
                    return
                if (said := sound(raw)) is None:
                    report(SegmentError(segment.name, number, "it is damaged: the checksum does not fit"))
                    continue
                yield SegmentLine(segment.name, number, raw, said, end, blob_folder(segment.path))
        if segment.archived and not number:
            report(SegmentError(segment.name, 0, "it cannot be read: it is empty"))
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        report(SegmentError(segment.name, 0, f"it cannot be read{f' after line {number}' if number else ''}: {reason}"))


def sound(raw: bytes) -> Mapping[str, Any] | None:
    """What a line says, if it is whole and names its record."""
    try:
        said = opened(raw)
    except (ValueError, RecursionError):
        return None
    return said if all(isinstance(said.get(key), str) for key in HEAD) and said["id"] else None


def redact_line(line: SegmentLine, redact: Callable[[str], str]) -> SegmentLine:
    """Return a line without known secrets, unchanged when it contains none."""
    rest = {key: value for key, value in line.said.items() if key not in HEAD}
    clean = masked(rest, redact)
    if clean == rest:
        return line
    said = {**{key: line.said[key] for key in HEAD}, **clean}
    raw = sealed(dumps(said))
    return SegmentLine(line.segment, line.number, raw, said, line.end, line.blobs)
