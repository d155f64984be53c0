"""Provide apps that need no external service, for tests and experiments."""

from .folder import FolderApp

__all__ = ["FolderApp"]
