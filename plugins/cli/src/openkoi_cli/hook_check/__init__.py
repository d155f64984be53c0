"""Check that the installed hooks work: a synthetic task calls each implementation, and shows what it returned."""

from .run_check import check_hooks

__all__ = ["check_hooks"]
