"""Check that the thinking of Anthropic's models is sent back unchanged."""

from collections.abc import Iterator, Sequence
from hashlib import sha256

from openkoi_hookspecs import Reasoning

from .anthropic_blocks import THINKING_TYPES, Block
from .json_body import objects_in
from .say import Say


def thought_block(thought: Reasoning) -> dict[str, object]:
    """Return a thought as a block; one without words is redacted. Without a signature of its own it gets one."""
    if not thought.text and thought.signature:
        return {"type": "redacted_thinking", "data": thought.signature}
    signature = thought.signature or sha256(thought.text.encode()).hexdigest()
    return {"type": "thinking", "thinking": thought.text, "signature": signature}


class ThoughtChecker:
    """Remember every thought so far, and which tool calls came with which."""

    def __init__(self) -> None:
        self._thoughts: list[dict[str, object]] = []
        self._before: dict[str, list[dict[str, object]]] = {}

    def add_answer(self, answer: Say) -> None:
        """Remember an answer's thoughts."""
        thoughts = [thought_block(part) for part in answer.parts if isinstance(part, Reasoning)]
        self._thoughts += thoughts
        self._before |= {call.id: thoughts for call in answer.calls}

    def find_error(self, body: Block) -> str:
        """Return the error in the thoughts of a request; empty when they are valid."""
        messages = enumerate(objects_in(body.get("messages")))
        answers = {place: message for place, message in messages if message.get("role") == "assistant"}
        wrong = [error for place, message in answers.items() for error in self._find_changed(place, message)]
        thinking = body.get("thinking")
        kind = thinking.get("type") if isinstance(thinking, dict) else None
        if kind in ("enabled", "adaptive"):
            wrong += [error for message in answers.values() for error in self._missing(message)]
        if kind == "enabled" and answers:
            wrong += missing_thoughts(list(answers.values())[-1])
        return next(iter(wrong), "")

    def _find_changed(self, place: int, message: Block) -> Iterator[str]:
        content = objects_in(message.get("content"))
        for index, block in enumerate(content):
            if block.get("type") in THINKING_TYPES and block not in self._thoughts:
                yield f"messages.{place}.content.{index}: Invalid `signature` in `thinking` block"
        if content and content[-1].get("type") in THINKING_TYPES:
            yield f"messages.{place}: The final block in an assistant message cannot be `thinking`."

    def _missing(self, message: Block) -> Iterator[str]:
        content = objects_in(message.get("content"))
        handed_back = [block for block in content if block.get("type") in THINKING_TYPES]
        for call in tool_uses(content):
            if self._before.get(str(call.get("id")), handed_back) != handed_back:
                yield (
                    "`thinking` or `redacted_thinking` blocks in the assistant message with the tool call "
                    f"{call.get('id')} cannot be modified. They must remain as they were in the original response."
                )


def missing_thoughts(message: Block) -> list[str]:
    """Return errors for an answer that called tools and did not begin with a thought."""
    content = objects_in(message.get("content"))
    if not tool_uses(content) or content[0].get("type") in THINKING_TYPES:
        return []
    return [
        f"Expected `thinking` or `redacted_thinking`, but found `{content[0].get('type')}`. "
        "When `thinking` is enabled, a final `assistant` message must start with a thinking block."
    ]


def tool_uses(content: Sequence[Block]) -> list[Block]:
    """Return the tool calls among these blocks."""
    return [block for block in content if block.get("type") == "tool_use"]
