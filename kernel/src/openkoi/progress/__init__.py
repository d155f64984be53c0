"""Detect from a run's calls and files whether it makes progress: a library, without entry points."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .gain import Gain as Gain
    from .stuck_detector import Step as Step
    from .stuck_detector import StuckDetector as StuckDetector
    from .stuck_detector import StuckLimits as StuckLimits
    from .workspace_hash import SeenStates as SeenStates
