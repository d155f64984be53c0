"""Remove the reasoning of other models from a conversation: its signature is valid for one model only."""

from collections.abc import Sequence
from dataclasses import replace

from openkoi_hookspecs import Message, Part, Reasoning


def strip_foreign_reasoning(messages: Sequence[Message], model: str) -> list[Message]:
    """Return the messages without other models' reasoning; the same object if there is none."""
    return [without_foreign(message, model) for message in messages]


def without_foreign(message: Message, model: str) -> Message:
    kept = tuple(part for part in message.parts if not is_foreign(part, model))
    return message if len(kept) == len(message.parts) else replace(message, parts=kept)


def is_foreign(part: Part, model: str) -> bool:
    return isinstance(part, Reasoning) and part.model not in ("", model)
