"""Find and read what the run log holds. Knows the names of files and their lines; writes nothing.

A damaged line costs itself alone. A torn tail is skipped only when nobody holds the file: until then it may go on.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from openkoi_files.filelock import held_by_another
from openkoi_hookspecs import Record

from .transcript import Damaged, read_line


def segments(folder: Path, session: str = "") -> list[Path]:
    """The log's files, oldest first: all, or one session's."""
    if session:
        named = [path for path in folder.glob(f"{session}*.jsonl") if session_of(path) == session]
    else:
        named = list(folder.glob("*.jsonl"))
    return sorted(named, key=lambda path: (session_of(path), part_of(path)))


def session_of(path: Path) -> str:
    return path.name.removesuffix(".jsonl").partition(".")[0]


def part_of(path: Path) -> int:
    part = path.name.removesuffix(".jsonl").partition(".")[2]
    return int(part) if part.isdigit() else 1


def read_segment(path: Path, start: int = 0, report: Callable[[str], None] = lambda _: None) -> Iterator[Record]:
    """Records from an offset on. A damaged line is reported and passed over; a torn tail waits for its writer."""
    with path.open("rb") as file:
        file.seek(start)
        end = start
        for line in file:
            end += len(line)
            try:
                yield read_line(line, path.name, end)
            except (Damaged, ValueError) as error:
                if not line.endswith(b"\n"):
                    if not held_by_another(path):
                        report(f"{path.name} ends in a torn line; it was never acknowledged.")
                    return
                report(f"{path.name} is damaged before byte {end}: {error}. The line is left out.")
