"""Bring an export into the log: every record once, however often it comes; nothing that is there is touched.

All of it is read and checked before anything is written, and all of it is written before any of it can be seen.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from openkoi_base.files import lock_beside, private_folder, sync_folder
from openkoi_hookspecs import KoiError
from openkoi_runlog import store_blobs
from openkoi_runlog.segment_names import segment_name

from .blobs import has_secret
from .folders import private_file
from .lines import SegmentError, SegmentLine, lines_of, redact_line
from .manifest import ExportManifest, read_manifest
from .marks import Imported, to_line
from .segments import Log, Segment

NAME = re.compile(r"[\w-]+(\.\d+)?\.jsonl", re.ASCII)
NOTHING = "Nothing was imported. Export again on the other machine, or fix the file."


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The number of new and known records, and the segments written."""

    records: int
    known: int
    segments: tuple[str, ...]


def bring_in(folder: Path, log: Log, redact: Callable[[str], str]) -> ImportResult:
    """Import a JSON export; raises KoiError, with the file and line, when it is damaged."""
    manifest = read_manifest(folder)
    segments, blobs = check_segments(folder, manifest), checked_blobs(folder)
    try:
        private_folder(log.sessions)
        with lock_beside(log.sessions / "import"):
            for path in blobs:
                if not has_secret(content := path.read_bytes(), redact):
                    store_blobs({path.name: content}, log.data / "blobs")
            return Importing(log, manifest, redact).write(segments)
    except OSError as error:
        raise KoiError(f"{log.sessions} cannot be written: {error.strerror or error}. Nothing was imported.") from error


def checked_blobs(folder: Path) -> list[Path]:
    """The files of images and files in an export; raises KoiError for one that is not what its name says."""
    paths = [path for path in sorted((folder / "blobs").rglob("*")) if path.is_file() and not path.is_symlink()]
    for path in paths:
        if sha256(path.read_bytes()).hexdigest() != path.name:
            raise KoiError(f"{path} is damaged: its name is not the digest of its bytes. {NOTHING}")
    return paths


def check_segments(folder: Path, manifest: ExportManifest) -> list[Segment]:
    """Return the segments of an export, if all are intact."""
    if wrong := [name for name in manifest.segments if not NAME.fullmatch(name)]:
        raise KoiError(f"{folder} names a segment {wrong[0]!r}, which is not a valid name. {NOTHING}")
    segments = [Segment(folder / "sessions" / name) for name in manifest.segments]
    for segment in segments:
        found = sum(1 for _ in strict(segment))
        if found != manifest.segments[segment.name]:
            raise KoiError(
                f"{segment.path} is damaged: it has {found} records of {manifest.segments[segment.name]}. {NOTHING}"
            )
    return segments


def strict(segment: Segment) -> Iterator[SegmentLine]:
    """The lines of a segment; raises KoiError for one that is not sound."""

    def refuse(fault: SegmentError) -> None:
        where = f"{segment.path}, line {fault.line}" if fault.line else f"{segment.path}"
        raise KoiError(f"{where}: {fault.text}. {NOTHING}")

    return lines_of(segment, refuse)


@dataclass(slots=True)
class Importing:
    """An import in progress, which excludes others."""

    log: Log
    manifest: ExportManifest
    redact: Callable[[str], str]
    records: int = 0
    known: int = 0

    def write(self, segments: list[Segment]) -> ImportResult:
        """Write what is new beside the log, then put it in."""
        there = {line.id for segment in self.log.segments() for line in lines_of(segment)}
        written: list[tuple[Segment, Path]] = []
        try:
            for segment in segments:
                if fresh := self.write_segment(segment, there):
                    written.append((segment, fresh))
            names = tuple(self.put_in(segment.session, fresh) for segment, fresh in written)
        finally:
            for _, fresh in written:
                with suppress(OSError):
                    fresh.unlink(missing_ok=True)
        if names:
            sync_folder(self.log.sessions)
        return ImportResult(self.records, self.known, names)

    def write_segment(self, segment: Segment, there: set[str]) -> Path | None:
        """Write the new lines of a segment; return None when there are none."""
        fresh = [line for line in strict(segment) if self.is_new(line, there)]
        if not fresh:
            return None
        path = self.log.sessions / f".import-{os.getpid()}-{segment.name}.part"
        path.unlink(missing_ok=True)
        try:
            with private_file(path) as file:
                file.write(to_line(Imported(len(fresh), self.manifest.at)))
                file.writelines(redact_line(line, self.redact).raw for line in fresh)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return path

    def is_new(self, line: SegmentLine, there: set[str]) -> bool:
        """Whether a record is not there yet; it is from now on."""
        if line.id in there:
            self.known += 1
            return False
        there.add(line.id)
        self.records += 1
        return True

    def put_in(self, session: str, fresh: Path) -> str:
        """Give a new file the first unused name of its session."""
        number = 1
        while True:
            name = segment_name(session, number)
            if not (self.log.archive / f"{name}.gz").exists() and reserve_name(self.log.sessions / name):
                fresh.replace(self.log.sessions / name)
                return name
            number += 1


def reserve_name(path: Path) -> bool:
    """Create a file, and return False when it already exists."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    return True
