"""A model as judge for OpenKoi, held to rubrics written in Markdown."""

from .expectations import Expectations
from .judge import Judge

__all__ = ["Expectations", "Judge"]
