"""Sentence embeddings on this machine for OpenKoi, in NumPy."""

from .embedder import MiniLM

__all__ = ["MiniLM"]
