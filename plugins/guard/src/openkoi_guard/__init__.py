"""Asks before OpenKoi runs what cannot be taken back. It prevents accidents; it is no boundary."""

from .hook import Guard

__all__ = ["Guard"]
