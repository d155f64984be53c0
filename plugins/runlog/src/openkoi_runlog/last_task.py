"""Read the last task of a session from the end of its log: as fast in a long session as in a short one."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from mmap import ACCESS_READ, mmap
from pathlib import Path

from openkoi_hookspecs import Event, Record, events

from .blobs import blob_folder
from .read_segments import list_all_segments
from .record_format import CorruptLineError, read_line
from .segment_files import is_packed, iterate_lines, open_segment, original_name
from .select_records import select_records

START = b'"type":"task_start"'


def read_last_task(folder: Path, session: str, kinds: Collection[type[Event]] | None = None) -> list[Record]:
    """Return the records of these kinds, or of all, of the task that started last in a session; empty without one."""
    later: list[Path] = []
    for path in reversed(list_all_segments(folder, session)):
        if found := find_last_start(path):
            start, run = found
            lines = [(path, iterate_lines(path, start)), *((one, iterate_lines(one)) for one in reversed(later))]
            return [record for file, there in lines for record in select_records(there, kinds, run, file)]
        later.append(path)
    return []


def find_last_start(path: Path) -> tuple[int, str] | None:
    """Return the offset and the run of the last task that starts in a segment; sub-tasks do not count."""
    with map_segment(path) as data:
        place = len(data)
        while (place := data.rfind(START, 0, place)) >= 0:
            start = data.rfind(b"\n", 0, place) + 1
            run = read_start(data[start : data.find(b"\n", place) + 1], path)
            if run:
                return start, run
    return None


def read_start(line: bytes, path: Path) -> str:
    """Return the run that a line starts; empty for a sub-task and for a damaged line."""
    try:
        record = read_line(line, original_name(path), blobs=blob_folder(path))
    except (CorruptLineError, ValueError):
        return ""
    return record.run if isinstance(record.event, events.TaskStarted) and not record.event.task.parent else ""


@contextmanager
def map_segment(path: Path) -> Iterator[bytes | mmap]:
    """Yield the content of a segment, which is not read before it is looked at; empty if it cannot be read."""
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
