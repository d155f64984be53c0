"""Whether a run gets anywhere, told from its calls and its files: a library, without entry points."""

from .footprint import Footprints
from .gain import Gain
from .standstill import Ceilings, Standstill, Step

__all__ = ["Ceilings", "Footprints", "Gain", "Standstill", "Step"]
