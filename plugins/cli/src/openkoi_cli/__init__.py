"""The command line: one file a command, imported when it is called."""

from .entry import CommandLine

__all__ = ["CommandLine"]
