"""From nothing to a model that answers, for OpenKoi: what is found, what is asked, what is saved."""

from .discovery import Machine, discover
from .sources import Source

__all__ = ["Machine", "Source", "discover"]
