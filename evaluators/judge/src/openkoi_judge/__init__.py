"""A model as judge, which scores work by rubrics written in Markdown."""

from .assertions import Expectations
from .judge import Judge

__all__ = ["Expectations", "Judge"]
