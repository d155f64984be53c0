"""The Responses API, which OpenAI's own server speaks best."""

from .answer import Answer
from .request import Scribe

__all__ = ["Answer", "Scribe"]
