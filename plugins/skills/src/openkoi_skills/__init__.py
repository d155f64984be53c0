"""Skills: how a kind of work is done, written down in a file, and given to the model when it fits the task."""

from .hook import Skills

__all__ = ["Skills"]
