"""Provide tools to read, list, search, edit, write, patch, run commands and ask the user."""

from .workspace_tools import WorkspaceTools

__all__ = ["WorkspaceTools"]
