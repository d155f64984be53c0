"""Three ways to make a long conversation shorter: leave the oldest turns out, or let the model sum them up.

All split at the borders of turns only. What people said, the task above all, stays word for word; what is gone from
the conversation is in the run log, and a tool reads it again.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .facts import FactExtracting
    from .history import ReadHistoryTool
    from .periodic import PeriodicSummary
    from .rolling import RollingWindow

MODULES = {
    "FactExtracting": "facts",
    "PeriodicSummary": "periodic",
    "ReadHistoryTool": "history",
    "RollingWindow": "rolling",
}
__all__ = ["FactExtracting", "PeriodicSummary", "ReadHistoryTool", "RollingWindow"]


def __getattr__(name: str) -> Any:
    """Import what is asked for: most conversations are never made shorter."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{MODULES[name]}", __name__), name)
