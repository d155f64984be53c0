"""Compare a compacted conversation with the original: how much shorter it is, and what is missing. Pure."""

from collections import Counter
from collections.abc import Sequence

from openkoi_base.tokens import estimate_tokens
from openkoi_hookspecs import Message, Role, ToolCall, events

from .images_in_messages import media_in

MAX_REMAINING_SHARE = 3 / 4  # share of the tokens; a compaction that leaves more is not used (estimate)


def is_much_shorter(shorter: Sequence[Message], messages: Sequence[Message]) -> bool:
    """Return whether compacting saved about a quarter of the tokens, so that no turn needs to be removed."""
    return tokens_in(shorter) <= tokens_in(messages) * MAX_REMAINING_SHARE


def removed_parts(before: Sequence[Message], after: Sequence[Message]) -> events.HistoryCompacted:
    """Return what a shorter form of a conversation no longer contains."""
    turns = sum(one.role is Role.ASSISTANT for one in before) - sum(one.role is Role.ASSISTANT for one in after)
    tools = count_calls(before) - count_calls(after)
    media = len([*media_in(before)]) - len([*media_in(after)])
    return events.HistoryCompacted(turns, dict(sorted(tools.items())), tokens_in(before), tokens_in(after), media)


def count_calls(messages: Sequence[Message]) -> Counter[str]:
    """Return how many calls of each tool messages contain; some servers repeat a call's id."""
    return Counter(part.tool for one in messages for part in one.parts if isinstance(part, ToolCall))


def tokens_in(messages: Sequence[Message]) -> int:
    """Return the approximate tokens of messages."""
    return sum(estimate_tokens(message.parts) for message in messages)
