"""`openkoi demo`: the main job on a small project, with a scripted model and everything else real."""

from .command import demo
from .stage import MODEL, TASK, prepare

__all__ = ["MODEL", "TASK", "demo", "prepare"]
