"""Notice what a plugin's code changes in the process that it shares with everything else.

A library, without entry points.
"""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .effect_text import describe_effects
    from .options import DEADLINE, EFFECT, END, START, TOOK, WatchOptions, watch_every_call, watch_options
    from .watched_call import WatchedCall
    from .watched_function import WatchedAwaitable, watch_function

__all__ = [
    "DEADLINE",
    "EFFECT",
    "END",
    "START",
    "TOOK",
    "WatchOptions",
    "WatchedAwaitable",
    "WatchedCall",
    "describe_effects",
    "watch_every_call",
    "watch_function",
    "watch_options",
]
