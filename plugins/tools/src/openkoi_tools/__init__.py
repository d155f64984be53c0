"""Read, list, search, edit, write, patch, run and ask: OpenKoi's hands."""

from .toolbox import WorkspaceTools

__all__ = ["WorkspaceTools"]
