"""Export tasks in one of three formats into a folder that is complete or absent."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass

from .export_source import ExportSource
from .folders import create_folder
from .json_export import JsonExport, UserFiles
from .lines import SegmentError
from .markdown_export import write_markdown
from .parquet_export import write_parquet
from .segments import Log
from .task_selection import TaskSelection, select_runs

FORMATS = ("json", "parquet", "markdown")


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The format, the new folder, and the selected tasks of an export."""

    format: str
    output: Path
    choice: TaskSelection


@dataclass(frozen=True, slots=True)
class ExportResult:
    """The number of rows by table, and the skipped damaged lines."""

    tables: Mapping[str, int]
    records: int
    errors: Sequence[SegmentError]


def export_tasks(order: ExportOptions, own: UserFiles, redact: Callable[[str], str]) -> ExportResult:
    """Write an export; raise KoiError, leaving nothing behind."""
    log = Log(own.data)
    source = ExportSource(log, select_runs(log, order.choice), redact)
    with create_folder(order.output) as folder:
        if order.format != "json":
            write = write_parquet if order.format == "parquet" else write_markdown
            return ExportResult(write(folder, source), 0, source.errors)
        writing = JsonExport(folder, source)
        manifest = writing.write(order.choice)
        if order.choice.selects_all:
            writing.write_own(own)
    return ExportResult(manifest.tables, sum(manifest.segments.values()), source.errors)
