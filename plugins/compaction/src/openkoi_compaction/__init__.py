"""Three ways to make a long conversation shorter: leave the oldest turns out, or let the model sum them up.

All split at the borders of turns only. What people said, the task above all, stays word for word; what is gone from
the conversation is in the run log, and a tool reads it again.
"""

from .facts import FactExtracting
from .history import ReadHistoryTool
from .periodic import PeriodicSummary
from .rolling import RollingWindow

__all__ = ["FactExtracting", "PeriodicSummary", "ReadHistoryTool", "RollingWindow"]
