"""When what was found was said, by the log: its lines are told by how they begin, and few are read whole.

Knows lines; knows no memory.
"""

import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from openkoi_hookspecs import Record
from openkoi_hookspecs.events import LearningSaved, TaskStarted
from openkoi_runlog import head_of, read_line, spelled

if TYPE_CHECKING:
    from openkoi_cli.archive import Log, Segment

TASK, LEARNING = spelled((TaskStarted, LearningSaved))


def moments_of(log: "Log", ids: Collection[str], sessions: Collection[str] = ()) -> dict[str, str]:
    """When tasks of these ids began, those of pieces of transcripts too, and learnings were last saved.

    ``sessions``, where they are known, are those in which all of it was.
    """
    runs, begun, saved = dict.fromkeys(map(record_of, ids), ""), dict[str, bytes](), dict[str, str]()
    for segment in log.segments() if ids else ():
        if sessions and segment.session not in sessions:
            continue
        for kind, id, run, line in lines_about(segment, runs):
            if id in runs and read(line):
                runs[id] = run
            if kind == TASK:
                begun.setdefault(run, line)
            elif kind == LEARNING and (record := read(line)) and isinstance(record.event, LearningSaved):
                saved[record.event.learning.id] = record.at
    return {id: saved.get(id) or began(begun, id) or began(begun, runs[record_of(id)]) for id in ids}


def lines_about(segment: "Segment", records: Collection[str]) -> Iterator[tuple[bytes, str, str, bytes]]:
    """The kind, id, run and text of lines that begin a task, save a learning or are one of these records."""
    wanted = {id.encode() for id in records}
    with suppress(OSError, EOFError, zlib.error), segment.open() as file:
        for line in file:
            head = head_of(line)
            if head and (head.kind in (TASK, LEARNING) or head.id in wanted):
                yield head.kind, head.id.decode("ascii", "replace"), head.run.decode("ascii", "replace"), line


def began(begun: Mapping[str, bytes], run: str) -> str:
    """When a run began, by its line."""
    record = read(begun[run]) if run in begun else None
    return record.at if record else ""


def read(line: bytes) -> Record | None:
    """Read a line; None for one that is damaged."""
    with suppress(ValueError, RecursionError):
        return read_line(line)
    return None


def record_of(id: str) -> str:
    """The record that a piece was said in: its id is the record's, and a number after a colon."""
    return id.rpartition(":")[0] or id
