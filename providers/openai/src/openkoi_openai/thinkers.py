"""Which of OpenAI's models reason before they answer. Knows names; asks nobody."""

import re

PLAIN = re.compile(r"^(?:ft:)?(?:gpt-[34]|chatgpt-|davinci|babbage)|-chat\b")


def thinks(model: str) -> bool:
    """Whether a model is taken for one that reasons: all are, but those that came before."""
    return PLAIN.search(model) is None
