"""Take tasks out of the log, in one of three formats, into a folder that is whole or not there. Knows no command."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .as_json import JsonExport, Own
from .as_markdown import write_markdown
from .as_parquet import write_parquet
from .choosing import TaskSelection, chosen
from .folders import whole_folder
from .lines import SegmentError
from .segments import Log
from .source import ExportSource

FORMATS = ("json", "parquet", "markdown")


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The format, the new folder, and the selected tasks of an export."""

    format: str
    output: Path
    choice: TaskSelection


@dataclass(frozen=True, slots=True)
class Exported:
    """How many rows each table has, and what was left out because it is damaged."""

    tables: Mapping[str, int]
    records: int
    faults: Sequence[SegmentError]


def export(order: ExportOptions, own: Own, redact: Callable[[str], str]) -> Exported:
    """Write what is wanted; raises KoiError, and then nothing is there."""
    log = Log(own.data)
    source = ExportSource(log, chosen(log, order.choice), redact)
    with whole_folder(order.output) as folder:
        if order.format != "json":
            write = write_parquet if order.format == "parquet" else write_markdown
            return Exported(write(folder, source), 0, source.faults)
        writing = JsonExport(folder, source)
        manifest = writing.write(order.choice)
        if order.choice.everything:
            writing.write_own(own)
    return Exported(manifest.tables, sum(manifest.segments.values()), source.faults)
