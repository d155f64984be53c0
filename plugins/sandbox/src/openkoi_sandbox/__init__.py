"""Runs OpenKoi's commands and leaves no process behind."""

from .plain import Plain

__all__ = ["Plain"]
