"""Versions of a workspace, kept outside it, for OpenKoi."""

from .errors import NoCheckpoint, StoreFault, TooMany
from .foresight import Foresight
from .store import Store

__all__ = ["Foresight", "NoCheckpoint", "Store", "StoreFault", "TooMany"]
