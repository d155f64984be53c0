"""Manage the run log: statistics, audit, archive, export and import.

It reads only the log, so that it works with any memory or none.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .audit import LogAudit, audit_log
from .lines import SegmentError, SegmentLine, read_lines
from .segments import Log, Segment

if TYPE_CHECKING:
    from .compress_log import archive_oldest, log_size
    from .exporter import FORMATS, ExportOptions, ExportResult, export_tasks
    from .importer import ImportResult, import_export
    from .json_export import UserFiles
    from .rows import ExportTables
    from .statistics import LogStatistics, measure_log
    from .tables import build_tables
    from .task_selection import TaskSelection

__all__ = [
    "FORMATS",
    "ExportOptions",
    "ExportResult",
    "ExportTables",
    "ImportResult",
    "Log",
    "LogAudit",
    "LogStatistics",
    "Segment",
    "SegmentError",
    "SegmentLine",
    "TaskSelection",
    "UserFiles",
    "archive_oldest",
    "audit_log",
    "build_tables",
    "export_tasks",
    "import_export",
    "log_size",
    "measure_log",
    "read_lines",
]

MODULES = {
    "ExportOptions": "exporter",
    "ExportResult": "exporter",
    "ExportTables": "rows",
    "FORMATS": "exporter",
    "ImportResult": "importer",
    "LogStatistics": "statistics",
    "TaskSelection": "task_selection",
    "UserFiles": "json_export",
    "archive_oldest": "compress_log",
    "build_tables": "tables",
    "export_tasks": "exporter",
    "import_export": "importer",
    "log_size": "compress_log",
    "measure_log": "statistics",
}


def __getattr__(name: str) -> Any:
    """Import a module when one of its names is first used: reading lines needs no exporter."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{MODULES[name]}", __name__), name)
