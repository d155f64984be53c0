"""What OpenKoi learned, with the evidence for it, and whether it helps."""

from .hook import LearningHook

__all__ = ["LearningHook"]
