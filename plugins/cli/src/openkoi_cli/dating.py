"""When what was found was said, by the log: its lines are told by how they begin, and few are read whole.

Knows lines; knows no memory.
"""

import re
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openkoi_archive import Log, Segment

HEAD = re.compile(rb'\{"ts":"[^"]*","type":"([^"]*)","id":"([^"]*)"')
TASK, LEARNING = "task_start", "learning.saved"
Said = Mapping[str, Any]


def moments_of(log: "Log", ids: Collection[str]) -> dict[str, str]:
    """When tasks of these ids began, those of pieces of transcripts too, and learnings were last saved."""
    runs, began, saved = dict.fromkeys(map(record_of, ids), ""), dict[str, str](), dict[str, str]()
    for segment in log.segments() if ids else ():
        for said in lines_about(segment, runs):
            if said["id"] in runs:
                runs[said["id"]] = said["run"]
            if said["type"] == TASK:
                began.setdefault(said["run"], said["ts"])
            elif said["type"] == LEARNING:
                saved[learned(said)] = said["ts"]
    return {id: saved.get(id) or began.get(id) or began.get(runs[record_of(id)], "") for id in ids}


def lines_about(segment: "Segment", records: Collection[str]) -> Iterator[Said]:
    """The sound lines of a segment that begin a task, save a learning or are one of these records."""
    from openkoi_log.transcript import opened

    wanted, kinds = {id.encode() for id in records}, (TASK.encode(), LEARNING.encode())
    with suppress(OSError, EOFError, zlib.error), segment.open() as file:
        for line in file:
            head = HEAD.match(line)
            if head and (head[1] in kinds or head[2] in wanted):
                with suppress(ValueError, RecursionError):
                    yield opened(line)


def record_of(id: str) -> str:
    """The record that a piece was said in: its id is the record's, and a number after a colon."""
    return id.rpartition(":")[0] or id


def learned(said: Said) -> str:
    """The id of the learning that a line is about."""
    data = said.get("data")
    learning = data.get("learning") if isinstance(data, dict) else None
    return str(learning.get("id", "")) if isinstance(learning, dict) else ""
