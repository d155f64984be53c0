"""Notice what a plugin's code changes in the process that it shares with everything else.

A library, without entry points.
"""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .effect_text import describe_effects as describe_effects
    from .options import DEADLINE as DEADLINE
    from .options import EFFECT as EFFECT
    from .options import END as END
    from .options import START as START
    from .options import TOOK as TOOK
    from .options import WatchOptions as WatchOptions
    from .options import watch_every_call as watch_every_call
    from .options import watch_options as watch_options
    from .watched_call import WatchedCall as WatchedCall
    from .watched_function import WatchedAwaitable as WatchedAwaitable
    from .watched_function import watch_function as watch_function
