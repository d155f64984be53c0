"""Choose the oldest messages (turns) of a conversation, which compaction summarizes or omits, and remove them.

A turn is the model's message with the results of its calls: they stay together.
"""

from collections.abc import Sequence
from dataclasses import replace

from openkoi_hookspecs import Message, Role, Text, ToolResult
from openkoi_prompt.conversation import join_turns

MIN_KEPT_TURNS = 2  # last turns that are kept word for word (C32)


def count_removable(messages: Sequence[Message]) -> int:
    """Return how many of the oldest turns to remove: half of those before the latest ones."""
    return max(0, len(turn_positions(messages)) - MIN_KEPT_TURNS + 1) // 2


def turn_positions(messages: Sequence[Message]) -> list[int]:
    """Return the positions of the model's turns; the first message is the task in any case."""
    return [place for place, message in enumerate(messages) if place and message.role is Role.ASSISTANT]


def remove_oldest(messages: Sequence[Message], count: int, note: Text) -> list[Message]:
    """Return the conversation with a note in place of its oldest turns."""
    gone = set(turn_positions(messages)[:count])
    first = min(gone)
    kept = [
        without_results(message) if place - 1 in gone else message
        for place, message in enumerate(messages)
        if place > first and place not in gone
    ]
    return join_turns([*messages[:first], Message.user(note), *kept])


def without_results(message: Message) -> Message:
    """Return a message without tool results."""
    return replace(message, parts=tuple(part for part in message.parts if not isinstance(part, ToolResult)))
