"""The run log as a whole: counted, checked, put away, taken out and brought in. A library, without entry points.

It reads the log alone, so that any memory or none will do.
"""

from .archiving import keep_within, size_of
from .as_json import Own
from .audit import Audit, audit
from .choosing import Choice
from .exporting import FORMATS, Exported, Order, export
from .figures import Figures, figures_of
from .importing import Brought, bring_in
from .lines import Fault, Line, lines_of
from .rows import Tables
from .segments import Log, Segment
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
