"""Recognize OpenAI's reasoning models by name."""

from openkoi_hookspecs.lazy_pattern import lazy_pattern

NON_REASONING_MODELS = lazy_pattern(r"^(?:ft:)?(?:gpt-[34]|chatgpt-|davinci|babbage)|-chat\b")


def is_reasoning_model(model: str) -> bool:
    """Return whether a model reasons; assume so unless it is a known older one."""
    return NON_REASONING_MODELS.search(model) is None
