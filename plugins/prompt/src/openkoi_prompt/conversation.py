"""The messages sent to a model: the system prompt and the turns, in an order that every vendor accepts."""

from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from itertools import pairwise

from openkoi_base.isolation import type_error_of
from openkoi_hookspecs import Message, Role, ToolCall, ToolResult
from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(slots=True)
class Conversation:
    """The blocks of the system prompt, and the turns."""

    system: tuple[str, ...] = ()
    messages: list[Message] = field(default_factory=list)

    def say(self, message: Message) -> None:
        """Add a turn; merge it with the last one of the same role, and drop an empty one."""
        if self.messages and self.messages[-1].role is message.role:
            self.messages[-1] = replace(self.messages[-1], parts=self.messages[-1].parts + message.parts)
        elif message.parts:
            self.messages.append(message)


def join_turns(messages: Iterable[Message]) -> list[Message]:
    """Merge consecutive messages of one role, and drop empty ones."""
    conversation = Conversation()
    for message in messages:
        conversation.say(message)
    return conversation.messages


def shortening_error(messages: Sequence[Message], before: Sequence[Message]) -> str:
    """Return why these messages cannot replace a longer conversation; empty if they can."""
    if wrong := type_error_of(messages, Sequence[Message]):
        return wrong
    if not messages or messages[0].role is not Role.USER or messages[-1].role is not before[-1].role:
        return "its first or last message changed"
    if any(one.role is other.role for one, other in pairwise(messages)):
        return "two messages in a row have the same role"
    called = [calls_in(message) for message in messages]
    if any(results_in(message) != wanted for message, wanted in zip(messages, [set(), *called], strict=False)):
        return "a call is separated from its result"
    return ""


def calls_in(message: Message) -> set[str]:
    """Return the ids of the calls in a message."""
    return {part.id for part in message.parts if isinstance(part, ToolCall)}


def results_in(message: Message) -> set[str]:
    """Return the ids of the calls whose results a message contains."""
    return {part.call for part in message.parts if isinstance(part, ToolResult)}
