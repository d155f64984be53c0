"""Runs OpenKoi's commands in the strongest cage that can be proved, and leaves no process behind."""

from .autorun_report import AutorunReport
from .bubblewrap import Bubblewrap
from .ladder import Ladder
from .landlock import Landlock
from .limited import Limits
from .plain import Plain

__all__ = ["AutorunReport", "Bubblewrap", "Ladder", "Landlock", "Limits", "Plain"]
