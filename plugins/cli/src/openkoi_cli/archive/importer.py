"""Import an export into the log, each record once; existing files are not changed.

Everything is checked before anything is written, and written before any of it becomes visible.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from openkoi_base.files import lock_beside, private_folder, sync_folder
from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_runlog import store_blobs
from openkoi_runlog.segment_names import segment_name

from .blobs import has_secret
from .folders import private_file
from .import_marker import SegmentImported, to_line
from .lines import SegmentError, SegmentLine, read_lines, redact_line
from .manifest import ExportManifest, read_manifest
from .segments import Log, Segment

SEGMENT_NAME = lazy_pattern(r"[\w-]+(\.\d+)?\.jsonl", re.ASCII)
NOTHING_IMPORTED = "Nothing was imported. Export again on the other machine, or fix the file."


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The number of new and known records, and the segments written."""

    records: int
    known: int
    segments: tuple[str, ...]


def import_export(folder: Path, log: Log, redact: Callable[[str], str]) -> ImportResult:
    """Import a JSON export; raise KoiError with file and line if it is damaged."""
    manifest = read_manifest(folder)
    segments, blobs = check_segments(folder, manifest), check_blobs(folder)
    try:
        private_folder(log.sessions)
        with lock_beside(log.sessions / "import"):
            for path in blobs:
                if not has_secret(content := path.read_bytes(), redact):
                    store_blobs({path.name: content}, log.data / "blobs")
            return ImportRun(log, manifest, redact).write(segments)
    except OSError as error:
        raise KoiError(f"Cannot write {log.sessions}: {error.strerror or error}. Nothing was imported.") from error


def check_blobs(folder: Path) -> list[Path]:
    """Return the blobs of an export; raise KoiError if one does not match its digest."""
    paths = [path for path in sorted((folder / "blobs").rglob("*")) if path.is_file() and not path.is_symlink()]
    for path in paths:
        if sha256(path.read_bytes()).hexdigest() != path.name:
            raise KoiError(f"{path} is damaged: its digest does not match. {NOTHING_IMPORTED}")
    return paths


def check_segments(folder: Path, manifest: ExportManifest) -> list[Segment]:
    """Return the segments of an export, if all are intact."""
    if wrong := [name for name in manifest.segments if not SEGMENT_NAME.fullmatch(name)]:
        raise KoiError(f"Invalid segment name {wrong[0]!r} in {folder}. {NOTHING_IMPORTED}")
    segments = [Segment(folder / "sessions" / name) for name in manifest.segments]
    for segment in segments:
        found = sum(1 for _ in read_strictly(segment))
        if found != manifest.segments[segment.name]:
            wanted = manifest.segments[segment.name]
            raise KoiError(f"{segment.path} is damaged: it has {found} of {wanted} records. {NOTHING_IMPORTED}")
    return segments


def read_strictly(segment: Segment) -> Iterator[SegmentLine]:
    """Yield the lines of a segment; raise KoiError for a damaged one."""

    def refuse(error: SegmentError) -> None:
        where = f"{segment.path}, line {error.line}" if error.line else f"{segment.path}"
        raise KoiError(f"{where}: {error.text}. {NOTHING_IMPORTED}")

    return read_lines(segment, refuse)


@dataclass(slots=True)
class ImportRun:
    """An import in progress, which excludes others."""

    log: Log
    manifest: ExportManifest
    redact: Callable[[str], str]
    records: int = 0
    known: int = 0

    def write(self, segments: list[Segment]) -> ImportResult:
        """Write new records next to the log, then move them into it."""
        known_ids = {line.id for segment in self.log.segments() for line in read_lines(segment)}
        written: list[tuple[Segment, Path]] = []
        try:
            for segment in segments:
                if fresh := self.write_segment(segment, known_ids):
                    written.append((segment, fresh))
            names = tuple(self.place_segment(segment.session, fresh) for segment, fresh in written)
        finally:
            for _, fresh in written:
                with suppress(OSError):
                    fresh.unlink(missing_ok=True)
        if names:
            sync_folder(self.log.sessions)
        return ImportResult(self.records, self.known, names)

    def write_segment(self, segment: Segment, known_ids: set[str]) -> Path | None:
        """Write the new lines of a segment; return None if there are none."""
        fresh = [line for line in read_strictly(segment) if self.is_new(line, known_ids)]
        if not fresh:
            return None
        path = self.log.sessions / f".import-{os.getpid()}-{segment.name}.part"
        path.unlink(missing_ok=True)
        try:
            with private_file(path) as file:
                file.write(to_line(SegmentImported(len(fresh), self.manifest.at)))
                file.writelines(redact_line(line, self.redact).raw for line in fresh)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return path

    def is_new(self, line: SegmentLine, known_ids: set[str]) -> bool:
        """Return whether a record is new, and remember it."""
        if line.id in known_ids:
            self.known += 1
            return False
        known_ids.add(line.id)
        self.records += 1
        return True

    def place_segment(self, session: str, fresh: Path) -> str:
        """Move a new file to the first unused name of its session."""
        number = 1
        while True:
            name = segment_name(session, number)
            if not (self.log.archive / f"{name}.gz").exists() and reserve_name(self.log.sessions / name):
                fresh.replace(self.log.sessions / name)
                return name
            number += 1


def reserve_name(path: Path) -> bool:
    """Create a file, and return False if it already exists."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    return True
