"""Find and read the segments of the run log.

Damaged lines and unreadable files are skipped. An incomplete last line is skipped only if no process has the file open,
because otherwise it may still be completed.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from itertools import count, takewhile
from pathlib import Path

from openkoi_base.files.filelock import is_locked
from openkoi_hookspecs import Record

from .blobs import blob_folder
from .record_format import CorruptLineError, read_line
from .segment_files import FOUR_BYTES, PACKED, is_packed, log_folders, original_name, uncompressed_length
from .segment_names import file_stem, parse_segment_name, parse_session, refuse_newer, segment_name
from .select_records import is_needed, iterate_needed

MeasuredSegment = tuple[str, str, int]


def list_segments(folder: Path, session: str = "") -> list[Path]:
    """Return the segments that are not archived, oldest first: all, or one session's."""
    return sort_segments(find_files(folder, session, ".jsonl"))


def list_all_segments(folder: Path, session: str = "") -> list[Path]:
    """Return all segments, including archived ones; for one being archived, the original."""
    sessions, archive = log_folders(folder)
    written = find_files(sessions, session, ".jsonl")
    known = {path.name for path in written}
    packed = [path for path in find_files(archive, session, f".jsonl{PACKED}") if original_name(path) not in known]
    return sort_segments([*written, *packed])


def list_grown_segments(folder: Path, seen: Mapping[str, int]) -> list[Path]:
    """Return the segments that have more records than were read, including archived ones, oldest first."""
    grown = choose_grown(measure_segments(folder), seen)
    return [path for path in grown if not (is_packed(path) and (folder / original_name(path)).exists())]


def choose_grown(segments: Iterable[MeasuredSegment], seen: Mapping[str, int]) -> list[Path]:
    """Return the segments that have more records than were read, oldest first; of several with one name, the first."""
    grown: dict[str, Path] = {}
    for name, path, size in segments:
        if size > seen.get(name, 0) if path.endswith(name) else size != seen.get(name, 0) % FOUR_BYTES:
            grown.setdefault(name, Path(path))
    return sort_segments(list(grown.values()))


def measure_segments(folder: Path) -> Iterator[MeasuredSegment]:
    """Yield the name, path and unpacked size of each segment; one that is being archived twice, its original first.

    Each file is checked once, and an archived one is opened once per process: there may be thousands.
    """
    sessions, archive = log_folders(folder)
    for entry in scan_folder(sessions):
        if entry.name.endswith(".jsonl"):
            yield entry.name, entry.path, size_of(entry)
    for entry in scan_folder(archive):
        if entry.name.endswith(f".jsonl{PACKED}"):
            yield entry.name.removesuffix(PACKED), entry.path, size_of(entry)


def size_of(entry: "os.DirEntry[str]") -> int:
    """Return the unpacked size of a segment; the largest number if it cannot be read, so that it is tried."""
    try:
        return uncompressed_length(entry.path) if entry.name.endswith(PACKED) else entry.stat().st_size
    except OSError:
        return sys.maxsize


def scan_folder(folder: Path) -> "Iterator[os.DirEntry[str]]":
    """Yield the files in a folder; none if it does not exist or cannot be read. Raises KoiError for a newer log."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                refuse_newer(folder, entry.name)
                yield entry
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return


def list_session_segments(folder: Path, session: str) -> list[Path]:
    """Return the segments of one session that are not archived, without listing the folder."""
    paths = (folder / segment_name(session, number) for number in count(1))
    return list(takewhile(Path.exists, paths))


def find_files(folder: Path, session: str, ending: str) -> list[Path]:
    """Return the files with an ending."""
    stem = file_stem(session) if session else ""
    names = [entry.name for entry in scan_folder(folder)]  # Path.glob compiles an expression for each session
    there = [folder / name for name in names if name.startswith(stem) and name.endswith(ending)]
    return [path for path in there if not session or parse_session(path) == session]


def sort_segments(paths: list[Path]) -> list[Path]:
    """Sort segments, oldest first."""
    return sorted(paths, key=parse_segment_name)


def read_segment(
    path: Path,
    start: int = 0,
    report: Callable[[str], None] = lambda _: None,
    needed: Set[bytes] = frozenset(),
) -> Iterator[Record]:
    """Yield records from an offset on; report damaged lines, and stop at an incomplete last line.

    Lines whose names are not ``needed`` are skipped unread, except for the last one, which says how far the segment was
    read.
    """
    end, last = start, b""
    for end, line in iterate_needed(path, start, needed):
        last = line
        if is_needed(line, needed):
            yield from read_record(path, line, end, report)
            last = b""
    if last:
        yield from read_record(path, last, end, report)


def read_record(path: Path, line: bytes, end: int, report: Callable[[str], None]) -> Iterator[Record]:
    """Yield the record in a line that ends at an offset; report a damaged line, but not one that is being written."""
    name = original_name(path)
    try:
        yield read_line(line, name, end, blob_folder(path))
    except (CorruptLineError, ValueError) as error:
        if line.endswith(b"\n"):
            report(f"{name} is damaged before byte {end}: {error}. The line was skipped.")
        elif not has_writer(path):
            report(f"{name} ends in an incomplete line, because writing it was interrupted.")


def has_writer(path: Path) -> bool:
    """Return whether a process is writing to a segment."""
    return not is_packed(path) and path.exists() and is_locked(path)
