"""Reads pages of the web: from hosts that are listed, or that a person is asked about."""

from .gate import FetchGate
from .toolbox import Fetch

__all__ = ["Fetch", "FetchGate"]
