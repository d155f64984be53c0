"""Fetch web pages from listed hosts, or after asking the user."""

from .fetch_permission import FetchGate
from .fetch_tools import Fetch

__all__ = ["Fetch", "FetchGate"]
