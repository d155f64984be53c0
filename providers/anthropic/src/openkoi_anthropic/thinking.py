"""Whether a model is asked to think before it speaks, and how long. Knows the vendor's conditions; sends nothing."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from openkoi_hookspecs import ConfigError, Message, Request, Role, ToolCall

from .seals import KINDS
from .turns import blocks_of

Thinking: TypeAlias = Literal["off", "adaptive"] | int

LEAST = 1024
ANSWER = 1024


def sensible(thinking: Thinking) -> Thinking:
    """Return a setting that the vendor takes; raises ConfigError for another."""
    if thinking in ("off", "adaptive") or thinking == 0 or (isinstance(thinking, int) and thinking >= LEAST):
        return thinking
    raise ConfigError(f"thinking is {thinking!r}. Set 'off', 'adaptive', or a number of tokens from {LEAST} up.")


def thinking_for(request: Request, thinking: Thinking, limit: int) -> Mapping[str, object] | None:
    """Say how to think about a request whose answer is no longer than ``limit``; None: not at all.

    Thoughts are part of an answer, so room is left for words. Within a row of tool calls that began without a thought
    none is asked for: the vendor would refuse the conversation.
    """
    if thinking == "adaptive":
        return {"type": "adaptive", "display": "summarized"}
    if not isinstance(thinking, int):
        return None
    budget = min(thinking, limit - ANSWER)
    if budget < LEAST or under_way_without_a_thought(request):
        return None
    return {"type": "enabled", "budget_tokens": budget}


def under_way_without_a_thought(request: Request) -> bool:
    """Whether the latest answer called tools without having thought."""
    latest = next((message for message in reversed(request.messages) if message.role is Role.ASSISTANT), None)
    return latest is not None and calls(latest) and blocks_of(latest)[0]["type"] not in KINDS


def calls(message: Message) -> bool:
    """Whether a message asks for tools."""
    return any(isinstance(part, ToolCall) for part in message.parts)
