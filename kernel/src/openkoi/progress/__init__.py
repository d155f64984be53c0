"""Detect from a run's calls and files whether it makes progress: a library, without entry points."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .footprint import Footprints
    from .gain import Gain
    from .stuck_detector import Step, StuckDetector, StuckLimits

__all__ = ["Footprints", "Gain", "Step", "StuckDetector", "StuckLimits"]
