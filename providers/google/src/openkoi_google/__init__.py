"""Google's Gemini models for OpenKoi, in their own protocol."""

from .embedder import GoogleEmbedder
from .provider import Google

__all__ = ["Google", "GoogleEmbedder"]
