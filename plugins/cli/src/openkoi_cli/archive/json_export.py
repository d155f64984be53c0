"""Export as JSON that can be imported: the log's lines, tables, and the user's own files.

An import reads only the lines.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, field
from datetime import UTC, datetime
from pathlib import Path

from openkoi_base.redact import MASK, is_secret_name
from openkoi_hookspecs import Blob, KoiError, Record
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_runlog import blob_path

from .blobs import has_secret
from .export_source import ExportSource
from .folders import private_file, write_file
from .lines import SegmentError, SegmentLine
from .manifest import FILE, ExportManifest
from .tables import build_tables
from .task_selection import TaskSelection

USER_FOLDERS = ("skills", "evaluators")
TOML_SETTING = lazy_pattern(
    r"""(?im)^(?P<start>\s*(?P<name>[\w.'"-]+)\s*=\s*)(?:\"{3}(?s:.*?)\"{3}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
)


@dataclass(frozen=True, slots=True)
class UserFiles:
    """The locations of the user's own files: the data folder, and the config file."""

    data: Path
    config: Path


@dataclass(slots=True)
class JsonExport:
    """Writes an export into a folder."""

    folder: Path
    source: ExportSource
    counts: dict[str, int] = field(default_factory=dict)

    def write(self, choice: TaskSelection) -> ExportManifest:
        """Write lines, tables, and the manifest."""
        tables = build_tables(self.copy_segments()).rows_by_type()
        for kind, rows in tables.items():
            write_file(self.folder / f"{kind.table}.json", json.dumps([asdict(row) for row in rows], indent=1) + "\n")
        manifest = ExportManifest(
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            segments=self.counts,
            tables={kind.table: len(rows) for kind, rows in tables.items()},
            task=choice.task,
            since=choice.since,
            left_out=tuple(map(str, self.source.errors)),
        )
        write_file(self.folder / FILE, manifest.text)
        return manifest

    def copy_segments(self) -> Iterator[Record]:
        """Write segment after segment, yielding their records; skip empty ones."""
        for segment in self.source.log.segments():
            path = self.folder / "sessions" / segment.name
            with private_file(path) as file:
                for line in self.source.lines(segment):
                    file.write(line.raw)
                    self.copy_blobs(line)
                    self.counts[segment.name] = self.counts.get(segment.name, 0) + 1
                    yield line.record
            if segment.name not in self.counts:
                path.unlink()

    def copy_blobs(self, line: SegmentLine) -> None:
        """Copy the blobs that a line refers to; skip missing ones and those with a secret."""
        for digest, path in line.files.items():
            to = blob_path(digest, self.folder / "blobs")
            if to.exists():
                continue
            try:
                content = Blob(digest, 0, path).read()
            except KoiError as error:
                self.source.errors.append(SegmentError(line.segment, line.number, str(error)))
                continue
            if has_secret(content, self.source.redact):
                self.source.errors.append(SegmentError(line.segment, line.number, f"{path} contains a secret"))
                continue
            with private_file(to) as file:
                file.write(content)

    def write_own(self, own: UserFiles) -> None:
        """Write the user's own files, without secrets; do not follow links."""
        for path, name in ((own.config, "config.toml"), (own.config.parent / "SOUL.md", "soul.md")):
            self.write_file(path, self.folder / name)
        for folder in USER_FOLDERS:
            for path in sorted((own.data / folder).rglob("*")):
                self.write_file(path, self.folder / path.relative_to(own.data))

    def write_file(self, path: Path, to: Path) -> None:
        """Write a regular file; mask values of settings that are named like secrets."""
        if path.is_file() and not path.is_symlink():
            text = self.source.redact(path.read_bytes().decode("utf-8", "surrogateescape"))
            write_file(to, TOML_SETTING.sub(mask_setting, text) if path.suffix == ".toml" else text)


def mask_setting(found: re.Match[str]) -> str:
    """Return a TOML setting, with its value masked if its name is that of a secret."""
    return f'{found["start"]}"{MASK}"' if is_secret_name(found["name"]) else found[0]
