"""Read, list, search, edit, write and run: OpenKoi's hands."""

from .toolbox import WorkspaceTools

__all__ = ["WorkspaceTools"]
