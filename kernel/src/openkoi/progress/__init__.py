"""Whether a run gets anywhere, told from its calls and its files: a library, without entry points."""

from .footprint import Footprints
from .gain import Gain
from .stuck_detector import Step, StuckDetector, StuckLimits

__all__ = ["Footprints", "Gain", "Step", "StuckDetector", "StuckLimits"]
