"""Two ways to make a long conversation shorter: leave the oldest turns out, or let the model sum them up.

Both split at the borders of turns only. What people said, the task above all, stays word for word.
"""

from .periodic import PeriodicSummary
from .rolling import RollingWindow

__all__ = ["PeriodicSummary", "RollingWindow"]
