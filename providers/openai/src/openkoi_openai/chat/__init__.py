"""Chat Completions, the dialect that every compatible server speaks."""

from .answer import Answer
from .manners import Manners
from .request import Scribe

__all__ = ["Answer", "Manners", "Scribe"]
