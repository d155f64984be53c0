"""Decide whether and how long a model thinks before it responds (thinking budget, effort)."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from openkoi_hookspecs import ConfigError, Message, Request, Role, ToolCall

from .messages import encode_blocks
from .reasoning_signatures import THINKING_TYPES

Thinking: TypeAlias = Literal["off", "adaptive"] | int

MIN_THINKING_TOKENS = 1024  # the smallest thinking budget that Anthropic accepts
ANSWER_RESERVE_TOKENS = 1024


def validate_thinking(thinking: Thinking) -> Thinking:
    """Return a valid ``thinking`` setting; raise ConfigError for another one."""
    if (
        thinking in ("off", "adaptive")
        or thinking == 0
        or (isinstance(thinking, int) and thinking >= MIN_THINKING_TOKENS)
    ):
        return thinking
    raise ConfigError(
        f"[providers.anthropic] thinking is {thinking!r}. "
        f"Set it to 'off', 'adaptive', or at least {MIN_THINKING_TOKENS} tokens."
    )


def thinking_for(request: Request, thinking: Thinking, limit: int) -> Mapping[str, object] | None:
    """Return the ``thinking`` parameter of a request limited to ``limit`` tokens, or None to disable thinking.

    Thinking counts toward the limit, so some tokens are reserved for the answer. A series of tool calls that started
    without thinking continues without it: the vendor rejects anything else.
    """
    if thinking == "adaptive":
        return {"type": "adaptive", "display": "summarized"}
    if not isinstance(thinking, int):
        return None
    budget = min(thinking, limit - ANSWER_RESERVE_TOKENS)
    if budget < MIN_THINKING_TOKENS or continues_without_thinking(request):
        return None
    return {"type": "enabled", "budget_tokens": budget}


def continues_without_thinking(request: Request) -> bool:
    """Return whether the last response called tools without thinking first."""
    latest = next((message for message in reversed(request.messages) if message.role is Role.ASSISTANT), None)
    return latest is not None and has_tool_calls(latest) and encode_blocks(latest)[0]["type"] not in THINKING_TYPES


def has_tool_calls(message: Message) -> bool:
    """Return whether a message contains tool calls."""
    return any(isinstance(part, ToolCall) for part in message.parts)
