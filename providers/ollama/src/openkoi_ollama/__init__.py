"""Local models that Ollama serves, for OpenKoi."""

from .embedder import OllamaEmbedder
from .provider import Ollama

__all__ = ["Ollama", "OllamaEmbedder"]
