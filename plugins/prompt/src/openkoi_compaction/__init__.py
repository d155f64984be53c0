"""Shorten a long conversation in three ways: omit the oldest turns, or let the model summarize them.

All split between turns only. The user's messages, the task above all, stay word for word; removed turns are in the run
log, and a tool shows them again.
"""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .conversation_turns import ReadHistoryTool as ReadHistoryTool
    from .facts import FactExtracting as FactExtracting
    from .periodic import PeriodicSummary as PeriodicSummary
    from .rolling_window import RollingWindow as RollingWindow
