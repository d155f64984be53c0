"""Versions of a workspace, kept outside it, for OpenKoi."""

from .errors import LeftAlone, NoCheckpoint, StoreFault, TooMany
from .store import Store

__all__ = ["LeftAlone", "NoCheckpoint", "Store", "StoreFault", "TooMany"]
