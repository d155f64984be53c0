"""Manage the run log: statistics, audit, archive, export and import.

It reads only the log, so that it works with any memory or none.
"""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .audit import audit_log
    from .compress_log import archive_oldest, log_size
    from .exporter import ExportOptions, export_tasks
    from .importer import ImportResult, import_export
    from .json_export import UserFiles
    from .lines import SegmentError, read_lines
    from .segments import Log, Segment
    from .statistics import measure_log
    from .tables import build_tables
    from .task_selection import TaskSelection

__all__ = [
    "ExportOptions",
    "ImportResult",
    "Log",
    "Segment",
    "SegmentError",
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
