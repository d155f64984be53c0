"""Learn from finished runs: entries, the evidence for them, and whether they help."""

from .hook import LearningHook

__all__ = ["LearningHook"]
