"""Shorten a long conversation in three ways: omit the oldest turns, or let the model summarize them.

All split between turns only. The user's messages, the task above all, stay word for word; removed turns are in the run
log, and a tool shows them again.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .facts import FactExtracting
    from .history import ReadHistoryTool
    from .periodic import PeriodicSummary
    from .rolling_window import RollingWindow

MODULES = {
    "FactExtracting": "facts",
    "PeriodicSummary": "periodic",
    "ReadHistoryTool": "history",
    "RollingWindow": "rolling_window",
}
__all__ = ["FactExtracting", "PeriodicSummary", "ReadHistoryTool", "RollingWindow"]


def __getattr__(name: str) -> Any:
    """Import a compactor on first use: most conversations are never shortened."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{MODULES[name]}", __name__), name)
