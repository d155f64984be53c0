"""What the model has been told and has said. Knows messages; calls no model.

Things are only ever added; whoever makes a conversation shorter returns another one, which is looked at here.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from openkoi_hookspecs import Message, Role, ToolCall, ToolResult, events
from openkoi_isolation import type_error_of
from openkoi_models import answer_tokens


@dataclass(slots=True)
class Conversation:
    """The system's blocks, and the turns."""

    system: tuple[str, ...] = ()
    messages: list[Message] = field(default_factory=list)

    def say(self, message: Message) -> None:
        """Add a turn; two in a row of one side become one."""
        if self.messages and self.messages[-1].role is message.role:
            self.messages[-1] = replace(self.messages[-1], parts=self.messages[-1].parts + message.parts)
        elif message.parts:
            self.messages.append(message)


def unsound(messages: Sequence[Message], before: Sequence[Message]) -> str:
    """Why this is no shorter form of a conversation that every vendor takes; empty when it is one."""
    if wrong := type_error_of(messages, Sequence[Message]):
        return wrong
    if not messages or messages[0].role is not Role.USER or messages[-1].role is not before[-1].role:
        return "it does not begin or end as it did"
    if any(one.role is other.role for one, other in pairwise(messages)):
        return "one side speaks twice in a row"
    asked = [asked_in(message) for message in messages]
    if any(answered_in(message) != wanted for message, wanted in zip(messages, [set(), *asked], strict=False)):
        return "a call and its result are parted"
    return ""


def removed(before: Sequence[Message], after: Sequence[Message]) -> events.HistoryCompacted:
    """Return what a shorter form of a conversation has no more."""
    turns = sum(one.role is Role.ASSISTANT for one in before) - sum(one.role is Role.ASSISTANT for one in after)
    kept = set().union(*map(asked_in, after))
    gone = (part for one in before for part in one.parts if isinstance(part, ToolCall) and part.id not in kept)
    tools = Counter(part.tool for part in gone)
    sizes = [sum(answer_tokens(message.parts) for message in messages) for messages in (before, after)]
    return events.HistoryCompacted(turns, dict(sorted(tools.items())), *sizes)


def asked_in(message: Message) -> set[str]:
    return {part.id for part in message.parts if isinstance(part, ToolCall)}


def answered_in(message: Message) -> set[str]:
    return {part.call for part in message.parts if isinstance(part, ToolResult)}
