"""``openkoi context``: the prompt of a task in its layers, without calling a model."""

from .prompt_layers import LAYERS, Prompt, PromptPiece

__all__ = ["LAYERS", "Prompt", "PromptPiece"]
