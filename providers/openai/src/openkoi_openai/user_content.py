"""Encode a user's message: text alone as one string, text with images and files as a list of parts."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from openkoi_hookspecs import File, Image, Text

T = TypeVar("T")


def encode_user(parts: Sequence[Text | Image | File], encode_part: Callable[[Text | Image | File], T]) -> str | list[T]:
    """Return the content of a user's message, with each part in the format of one of OpenAI's APIs."""
    texts = [part.text for part in parts if isinstance(part, Text)]
    if len(texts) == len(parts):
        return "\n".join(texts)
    return [encode_part(part) for part in parts]
