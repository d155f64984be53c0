"""Versions of a workspace, kept outside it, for OpenKoi."""

from .errors import LeftAlone, NoCheckpoint, StoreFault, TooMany
from .foresight import Foresight
from .store import Store

__all__ = ["Foresight", "LeftAlone", "NoCheckpoint", "Store", "StoreFault", "TooMany"]
