"""Recognize OpenAI's reasoning models by name."""

import re

NON_REASONING_MODELS = re.compile(r"^(?:ft:)?(?:gpt-[34]|chatgpt-|davinci|babbage)|-chat\b")


def is_reasoning_model(model: str) -> bool:
    """Return whether a model reasons; assume so unless it is a known older one."""
    return NON_REASONING_MODELS.search(model) is None
