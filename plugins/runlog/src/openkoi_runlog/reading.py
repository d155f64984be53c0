"""Find and read what the run log holds. Knows the names of files and their lines; writes nothing.

A damaged line costs itself alone, and a file that cannot be read nothing else. A torn tail is skipped only when nobody
holds the file: until then it may go on.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from openkoi_base.files.filelock import is_locked
from openkoi_hookspecs import Record

from .blobs import blob_folder
from .packed import PACKED, folders, is_packed, lines_from, name_of
from .segment_names import file_stem, place_of, session_of
from .transcript import Damaged, read_line


def segments(folder: Path, session: str = "") -> list[Path]:
    """The log's files that were not put away, oldest first: all, or one session's."""
    return in_order(found(folder, session, ".jsonl"))


def all_segments(folder: Path, session: str = "") -> list[Path]:
    """The same with those that were put away; of one that is just being put away, the one that was written."""
    sessions, archive = folders(folder)
    written = found(sessions, session, ".jsonl")
    known = {path.name for path in written}
    packed = [path for path in found(archive, session, f".jsonl{PACKED}") if name_of(path) not in known]
    return in_order([*written, *packed])


def found(folder: Path, session: str, ending: str) -> list[Path]:
    """The files of that ending."""
    stem = file_stem(session) if session else ""
    return [path for path in folder.glob(f"{stem}*{ending}") if not session or session_of(path) == session]


def in_order(paths: list[Path]) -> list[Path]:
    """The oldest first."""
    return sorted(paths, key=place_of)


def read_segment(path: Path, start: int = 0, report: Callable[[str], None] = lambda _: None) -> Iterator[Record]:
    """Records from an offset on. A damaged line is reported and passed over; a torn tail waits for its writer."""
    name, end, blobs = name_of(path), start, blob_folder(path)
    for line in lines_from(path, start):
        end += len(line)
        try:
            yield read_line(line, name, end, blobs)
        except (Damaged, ValueError) as error:
            if not line.endswith(b"\n"):
                if not is_held(path):
                    report(f"{name} ends in a torn line; it was never acknowledged.")
                return
            report(f"{name} is damaged before byte {end}: {error}. The line is left out.")


def is_held(path: Path) -> bool:
    """Whether a process still writes it."""
    return not is_packed(path) and path.exists() and is_locked(path)
