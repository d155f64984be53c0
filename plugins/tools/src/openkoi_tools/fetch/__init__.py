"""Fetch web pages from listed hosts, or after asking the user."""

from .fetch_tools import Fetch
from .permission_hook import FetchGate

__all__ = ["Fetch", "FetchGate"]
