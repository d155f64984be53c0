"""Fetch web pages from listed hosts, or after asking the user."""

from .permission_hook import FetchGate
from .toolbox import Fetch

__all__ = ["Fetch", "FetchGate"]
