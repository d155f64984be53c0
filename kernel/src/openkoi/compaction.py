"""A conversation made shorter, whole turns at a time. Pure; knows messages, and calls no model.

What people said stays word for word, and so do the last turns; of what was done before, the older half goes: calls
together with their results, so that no vendor is ever sent one without the other.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from openkoi_hookspecs import Message, Role, Text, ToolResult

LATEST = 2
MARK = "[Compacted history: {turns} earlier turns of yours, with what the tools answered, were left out here.]"


def compacted(messages: Sequence[Message]) -> list[Message] | None:
    """The same without the older half of the model's turns; None when there are too few to leave any out."""
    turns = [place for place, message in enumerate(messages) if message.role is Role.ASSISTANT]
    old = set(turns[: max(0, len(turns) - LATEST + 1) // 2])
    if not old:
        return None
    kept = [
        without_results(message) if place - 1 in old else message
        for place, message in enumerate(messages)
        if place not in old
    ]
    return joined([noted(kept[0], len(old)), *kept[1:]])


def without_results(message: Message) -> Message:
    return replace(message, parts=tuple(part for part in message.parts if not isinstance(part, ToolResult)))


def noted(first: Message, turns: int) -> Message:
    """The first message, which says what is missing after it."""
    return replace(first, parts=(*first.parts, Text(MARK.format(turns=turns))))


def joined(messages: Iterable[Message]) -> list[Message]:
    """Messages of one side that came together are one; empty ones are gone."""
    whole: list[Message] = []
    for message in messages:
        add(message, whole)
    return whole


def add(message: Message, whole: list[Message]) -> None:
    """Add a turn to a conversation; to one of its own side, its parts."""
    if whole and whole[-1].role is message.role:
        whole[-1] = replace(whole[-1], parts=whole[-1].parts + message.parts)
    elif message.parts:
        whole.append(message)
