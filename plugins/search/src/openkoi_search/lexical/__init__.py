"""Vectors of words and their pieces for OpenKoi: no model, no download."""

from .embedder import Lexical

__all__ = ["Lexical"]
