"""A conversation as one of several models may read it: another's thoughts are sealed for that one alone. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from openkoi_hookspecs import Message, Part, Reasoning, Role


def strip_foreign_reasoning(messages: Sequence[Message], model: str) -> Sequence[Message]:
    """The same messages without the thoughts of other models; the very same where there are none."""
    spoken = (message.parts for message in messages if message.role is Role.ASSISTANT)
    if any(is_foreign(part, model) for parts in spoken for part in parts):
        return [without_foreign(message, model) for message in messages]
    return messages


def without_foreign(message: Message, model: str) -> Message:
    kept = tuple(part for part in message.parts if not is_foreign(part, model))
    return message if len(kept) == len(message.parts) else replace(message, parts=kept)


def is_foreign(part: Part, model: str) -> bool:
    return isinstance(part, Reasoning) and part.model not in ("", model)
