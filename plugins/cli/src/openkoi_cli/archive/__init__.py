"""Manage the run log as a whole: statistics, checks, archive, export and import. A library without entry points.

It reads only the log, so that it works with any memory or none.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .audit import Audit, audit
from .lines import SegmentError, SegmentLine, lines_of
from .segments import Log, Segment

if TYPE_CHECKING:
    from .archiving import keep_within, size_of
    from .as_json import Own
    from .choosing import TaskSelection
    from .exporting import FORMATS, Exported, ExportOptions, export
    from .figures import Figures, figures_of
    from .importing import ImportResult, bring_in
    from .rows import ExportTables
    from .telling import tables_of

__all__ = [
    "FORMATS",
    "Audit",
    "ExportOptions",
    "ExportTables",
    "Exported",
    "Figures",
    "ImportResult",
    "Log",
    "Own",
    "Segment",
    "SegmentError",
    "SegmentLine",
    "TaskSelection",
    "audit",
    "bring_in",
    "export",
    "figures_of",
    "keep_within",
    "lines_of",
    "size_of",
    "tables_of",
]

WHERE = {
    "ImportResult": "importing",
    "TaskSelection": "choosing",
    "Exported": "exporting",
    "FORMATS": "exporting",
    "Figures": "figures",
    "ExportOptions": "exporting",
    "Own": "as_json",
    "ExportTables": "rows",
    "bring_in": "importing",
    "export": "exporting",
    "figures_of": "figures",
    "keep_within": "archiving",
    "size_of": "archiving",
    "tables_of": "telling",
}


def __getattr__(name: str) -> Any:
    """Import a part when it is asked for: who reads a line needs no exporting."""
    if name not in WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{WHERE[name]}", __name__), name)
