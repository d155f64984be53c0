"""Which turns may go, and a conversation without them. Pure; knows messages, and writes no words of its own.

A turn is what the model said, with the results of the calls in it: they stay together, or go together.
"""

from collections.abc import Sequence
from dataclasses import replace

from openkoi_hookspecs import Message, Role, Text, ToolResult
from openkoi_prompt.conversation import join_turns

LATEST = 2


def surplus(messages: Sequence[Message]) -> int:
    """How many of the model's turns go, the oldest: half of all but the latest."""
    return max(0, len(turns(messages)) - LATEST + 1) // 2


def turns(messages: Sequence[Message]) -> list[int]:
    """Return the positions of the model's turns; the first message is the task in any case."""
    return [place for place, message in enumerate(messages) if place and message.role is Role.ASSISTANT]


def without(messages: Sequence[Message], count: int, note: Text) -> list[Message]:
    """The same without the oldest turns, and a note where they were."""
    gone = set(turns(messages)[:count])
    first = min(gone)
    kept = [
        without_results(message) if place - 1 in gone else message
        for place, message in enumerate(messages)
        if place > first and place not in gone
    ]
    return join_turns([*messages[:first], Message.user(note), *kept])


def without_results(message: Message) -> Message:
    """What a person said in it."""
    return replace(message, parts=tuple(part for part in message.parts if not isinstance(part, ToolResult)))
