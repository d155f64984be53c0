"""Provide apps without a service, for tests and for trying out."""

from .folder import FolderApp

__all__ = ["FolderApp"]
