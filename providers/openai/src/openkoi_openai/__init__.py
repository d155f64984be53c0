"""OpenAI's models and embeddings, and every server that speaks as OpenAI's does."""

from .embedder import OpenAIEmbedder
from .provider import OpenAI

__all__ = ["OpenAI", "OpenAIEmbedder"]
