"""Find the times of memory items in the log, reading only the lines that contain their ids."""

import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from openkoi_hookspecs import Record
from openkoi_hookspecs.events import LearningSaved, TaskStarted
from openkoi_runlog import lines_with_ids, read_line, select_lines

if TYPE_CHECKING:
    from openkoi_cli.archive.segments import Log, Segment
    from openkoi_runlog.select_records import SelectedLine

PART_BYTES = 1 << 18  # of a log, read at once


def find_times(log: "Log", ids: Collection[str], sessions: Collection[str] = ()) -> dict[str, str]:
    """Return when tasks with these ids started and learnings were last saved; pieces count as their tasks.

    ``sessions``, if known, are the only sessions to search.
    """
    runs, begun, saved = dict.fromkeys(map(record_id, ids), ""), dict[str, bytes](), dict[str, str]()
    segments = [one for one in log.segments() if not sessions or one.session in sessions] if ids else []
    for kind, item_id, run, line in find_lines(segments, {*runs, *ids}):
        if item_id in runs and parse_line(line):
            runs[item_id] = run
        if kind is TaskStarted:
            begun.setdefault(run, line)
        elif kind is LearningSaved and (record := parse_line(line)) and isinstance(record.event, LearningSaved):
            saved[record.event.learning.id] = record.at
    for kind, _, run, line in find_lines(segments, {*filter(None, runs.values())} - begun.keys()):
        if kind is TaskStarted:
            begun.setdefault(run, line)
    return {
        item_id: saved.get(item_id) or read_start(begun, item_id) or read_start(begun, runs[record_id(item_id)])
        for item_id in ids
    }


def find_lines(segments: "Iterable[Segment]", ids: Collection[str]) -> "Iterator[SelectedLine]":
    """Yield the lines in which one of these ids occurs."""
    for segment in segments if ids else ():
        for part in read_segment(segment):
            yield from select_lines(lines_with_ids(part, ids), (TaskStarted, LearningSaved), ids)


def read_segment(segment: "Segment") -> Iterator[bytes]:
    """Yield whole lines of a segment, many at once, as far as it can be read."""
    with suppress(OSError, EOFError, zlib.error), segment.open() as file:
        while part := file.read(PART_BYTES):
            yield part + file.readline()


def read_start(begun: Mapping[str, bytes], run: str) -> str:
    """Return when a run started, from its line."""
    record = parse_line(begun[run]) if run in begun else None
    return record.at if record else ""


def parse_line(line: bytes) -> Record | None:
    """Parse a line; return None if it is damaged."""
    with suppress(ValueError, RecursionError):
        return read_line(line)
    return None


def record_id(item_id: str) -> str:
    """Return the id of the record that a piece is from: a piece's id adds a number after a colon."""
    return item_id.rpartition(":")[0] or item_id
