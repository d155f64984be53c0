"""The command line: one file a command, imported when it is called."""

from .entry import start

__all__ = ["start"]
