"""``openkoi context``: the prompt of a task in its layers, without calling a model."""

from .layers import LAYERS, Piece, Prompt

__all__ = ["LAYERS", "Piece", "Prompt"]
