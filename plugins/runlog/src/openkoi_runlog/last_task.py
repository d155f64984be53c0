"""Read the last task of a session from the end of its log: as fast in a long session as in a short one."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import NamedTuple

from openkoi_hookspecs import Event, Record, events

from .blobs import blob_folder
from .read_segments import list_all_segments
from .record_format import CorruptLineError, parse_head, read_line
from .segment_files import is_packed, iterate_lines, open_segment, original_name
from .select_records import select_records

START = b'"type":"task_start"'
REWIND_EVENTS = (events.ConversationRewound, events.RunResumed)


class TaskStart(NamedTuple):
    """Where a task starts: the segments from its first one on, the offset in that, and the event."""

    paths: Sequence[Path]
    offset: int
    run: str
    event: events.TaskStarted

    def read(self, kinds: Collection[type[Event]] | None, *, run: str = "") -> Iterator[Record]:
        """Yield the records of these kinds from here on, of one run if it is named."""
        for path in self.paths:
            start = self.offset if path == self.paths[0] else 0
            yield from select_records(iterate_lines(path, start), kinds, run, path)


class ConversationEnd(NamedTuple):
    """The end of a conversation: its last task, or None, and the rewound tasks after it, newest first."""

    last: TaskStart | None
    rewound: Sequence[TaskStart] = ()


def read_last_task(folder: Path, session: str, kinds: Collection[type[Event]] | None = None) -> list[Record]:
    """Return the records of a conversation's last task, of these kinds or of all; empty if there is no task."""
    last = find_end(folder, session).last
    return list(last.read(kinds, run=last.run)) if last else []


def find_end(folder: Path, session: str) -> ConversationEnd:
    """Return how a conversation ends. The whole log is read only if the last task that started was rewound."""
    rewound: list[TaskStart] = []
    hidden: frozenset[str] | None = None
    for start in iterate_starts(list_all_segments(folder, session)):
        if hidden is None:
            hidden = find_rewound(start.read(REWIND_EVENTS))
            if start.run in hidden:
                paths = list_all_segments(folder, session)
                hidden = find_rewound(start._replace(paths=paths, offset=0).read(REWIND_EVENTS))
        if start.run not in hidden:
            return ConversationEnd(start, rewound)
        rewound.append(start)
    return ConversationEnd(None, rewound)


def find_rewound(records: Iterator[Record]) -> frozenset[str]:
    """Return the runs that a rewind removed, and that were neither restored nor resumed since."""
    found: dict[str, bool] = {}
    for record in records:
        found[record.run] = isinstance(record.event, events.ConversationRewound) and not record.event.undone
    return frozenset(run for run, is_rewound in found.items() if is_rewound)


def iterate_starts(paths: Sequence[Path]) -> Iterator[TaskStart]:
    """Yield where tasks start in these segments, the newest first; sub-tasks do not count."""
    for place, path in reversed([*enumerate(paths)]):
        with map_segment(path) as data:
            found = len(data)
            while (found := data.rfind(START, 0, found)) >= 0:
                offset = data.rfind(b"\n", 0, found) + 1
                record = read_start(data[offset : data.find(b"\n", found) + 1], path)
                if record and isinstance(record.event, events.TaskStarted) and not record.event.task.parent:
                    yield TaskStart(paths[place:], offset, record.run, record.event)


def read_start(line: bytes, path: Path) -> Record | None:
    """Return the record in a line that may start a task; None for a damaged one."""
    try:
        return read_line(line, original_name(path), blobs=blob_folder(path))
    except (CorruptLineError, ValueError):
        return None


def is_logged_in(path: Path, run: str) -> bool:
    """Return whether a segment has a record of a run."""
    mark = b'"run":"%s"' % run.encode()
    with map_segment(path) as data:
        place = data.find(mark)
        while place >= 0:
            head = parse_head(data[data.rfind(b"\n", 0, place) + 1 : place + len(mark)])
            if head and head.run == run.encode():
                return True
            place = data.find(mark, place + 1)
    return False


@contextmanager
def map_segment(path: Path) -> Iterator[bytes | mmap]:
    """Yield the content of a segment, mapped into memory; empty if it cannot be read."""
    try:
        with open_segment(path) as file:
            if is_packed(path):
                yield file.read()
            elif not path.stat().st_size:
                yield b""
            else:
                with mmap(file.fileno(), 0, access=ACCESS_READ) as data:
                    yield data
    except (OSError, EOFError):
        yield b""
