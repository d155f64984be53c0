"""Run `openkoi demo`: a small repair with a scripted model and everything else real."""

from .command import demo
from .setup import TASK, prepare_project

__all__ = ["TASK", "demo", "prepare_project"]
