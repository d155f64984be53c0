"""Find the times of memory items in the log; most lines are recognised by their start and not parsed."""

import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from openkoi_hookspecs import Record
from openkoi_hookspecs.events import LearningSaved, TaskStarted
from openkoi_runlog import read_line, select_lines

if TYPE_CHECKING:
    from openkoi_cli.archive.segments import Log, Segment
    from openkoi_runlog.select_records import SelectedLine


def find_times(log: "Log", ids: Collection[str], sessions: Collection[str] = ()) -> dict[str, str]:
    """Return when tasks with these ids started and learnings were last saved; pieces count as their tasks.

    ``sessions``, if known, are the only sessions to search.
    """
    runs, begun, saved = dict.fromkeys(map(record_id, ids), ""), dict[str, bytes](), dict[str, str]()
    for segment in log.segments() if ids else ():
        if sessions and segment.session not in sessions:
            continue
        for kind, item_id, run, line in find_lines(segment, runs):
            if item_id in runs and parse_line(line):
                runs[item_id] = run
            if kind is TaskStarted:
                begun.setdefault(run, line)
            elif kind is LearningSaved and (record := parse_line(line)) and isinstance(record.event, LearningSaved):
                saved[record.event.learning.id] = record.at
    return {
        item_id: saved.get(item_id) or read_start(begun, item_id) or read_start(begun, runs[record_id(item_id)])
        for item_id in ids
    }


def find_lines(segment: "Segment", records: Collection[str]) -> "Iterator[SelectedLine]":
    """Yield the lines that start a task, save a learning or have one of these ids."""
    with suppress(OSError, EOFError, zlib.error), segment.open() as file:
        yield from select_lines(file, (TaskStarted, LearningSaved), records)


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
