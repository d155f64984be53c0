"""The run log as a whole: counted, checked, put away, taken out and brought in. A library, without entry points.

It reads the log alone, so that any memory or none will do.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .audit import Audit, audit
from .lines import Fault, Line, lines_of
from .segments import Log, Segment

if TYPE_CHECKING:
    from .archiving import keep_within, size_of
    from .as_json import Own
    from .choosing import Choice
    from .exporting import FORMATS, Exported, Order, export
    from .figures import Figures, figures_of
    from .importing import Brought, bring_in
    from .rows import Tables
    from .telling import tables_of

__all__ = [
    "FORMATS",
    "Audit",
    "Brought",
    "Choice",
    "Exported",
    "Fault",
    "Figures",
    "Line",
    "Log",
    "Order",
    "Own",
    "Segment",
    "Tables",
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
    "Brought": "importing",
    "Choice": "choosing",
    "Exported": "exporting",
    "FORMATS": "exporting",
    "Figures": "figures",
    "Order": "exporting",
    "Own": "as_json",
    "Tables": "rows",
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
