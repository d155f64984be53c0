"""An export that another machine can import: the log's own lines, tables as JSON, and what is a person's own.

Only the lines are read again; all else is for people and programs to look at.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from openkoi_base.redact import MASK, is_secret_name
from openkoi_hookspecs import Blob, KoiError, Record
from openkoi_runlog import path_of

from .blobs import has_secret
from .choosing import TaskSelection
from .folders import private_file, put
from .lines import SegmentError, SegmentLine
from .manifest import FILE, ExportManifest
from .source import ExportSource
from .telling import tables_of

OWN = ("skills", "evaluators")
TEXT = re.compile(
    r"""(?im)^(?P<start>\s*(?P<name>[\w.'"-]+)\s*=\s*)(?:\"{3}(?s:.*?)\"{3}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
)


@dataclass(frozen=True, slots=True)
class Own:
    """Where things that are a person's own lie: the data folder, and the configuration's file."""

    data: Path
    config: Path


@dataclass(slots=True)
class JsonExport:
    """Writes into one folder."""

    folder: Path
    source: ExportSource
    counts: dict[str, int] = field(default_factory=dict)

    def write(self, choice: TaskSelection) -> ExportManifest:
        """Write lines, tables, and what is in them."""
        tables = tables_of(self.copy_segments()).rows_by_type()
        for kind, rows in tables.items():
            put(self.folder / f"{kind.table}.json", json.dumps([asdict(row) for row in rows], indent=1) + "\n")
        manifest = ExportManifest(
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            segments=self.counts,
            tables={kind.table: len(rows) for kind, rows in tables.items()},
            task=choice.task,
            since=choice.since,
            left_out=tuple(map(str, self.source.faults)),
        )
        put(self.folder / FILE, manifest.text)
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
        """Copy the bytes that a line refers to; those that hold a secret, or are gone, are left out."""
        for digest, path in line.files.items():
            to = path_of(digest, self.folder / "blobs")
            if to.exists():
                continue
            try:
                content = Blob(digest, 0, path).read()
            except KoiError as error:
                self.source.faults.append(SegmentError(line.segment, line.number, str(error)))
                continue
            if has_secret(content, self.source.redact):
                self.source.faults.append(SegmentError(line.segment, line.number, f"{path} contains a secret"))
                continue
            with private_file(to) as file:
                file.write(content)

    def write_own(self, own: Own) -> None:
        """Write what is a person's own, without secrets; links are not followed."""
        for path, name in ((own.config, "config.toml"), (own.config.parent / "SOUL.md", "soul.md")):
            self.write_file(path, self.folder / name)
        for folder in OWN:
            for path in sorted((own.data / folder).rglob("*")):
                self.write_file(path, self.folder / path.relative_to(own.data))

    def write_file(self, path: Path, to: Path) -> None:
        """Write one file, if it is one; of settings also without what is named as a secret."""
        if path.is_file() and not path.is_symlink():
            text = self.source.redact(path.read_bytes().decode("utf-8", "surrogateescape"))
            put(to, TEXT.sub(masked_setting, text) if path.suffix == ".toml" else text)


def masked_setting(found: re.Match[str]) -> str:
    """A setting of a TOML file, without its value if it is named like a secret."""
    return f'{found["start"]}"{MASK}"' if is_secret_name(found["name"]) else found[0]
