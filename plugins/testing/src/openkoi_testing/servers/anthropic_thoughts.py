"""What Anthropic's models thought, and whether it is handed back as it was. Knows the blocks; serves nothing."""

from collections.abc import Iterator, Sequence
from hashlib import sha256

from openkoi_hookspecs import Reasoning

from .anthropic_blocks import THOUGHTS, Block, blocks_in
from .say import Say


def told(thought: Reasoning) -> dict[str, object]:
    """A thought as a block; one without words is not told. Without a seal of its own it gets a signature."""
    if not thought.text and thought.signature:
        return {"type": "redacted_thinking", "data": thought.signature}
    signature = thought.signature or sha256(thought.text.encode()).hexdigest()
    return {"type": "thinking", "thinking": thought.text, "signature": signature}


class Thoughts:
    """Every thought so far, and which tool calls came with which."""

    def __init__(self) -> None:
        self._said: list[dict[str, object]] = []
        self._before: dict[str, list[dict[str, object]]] = {}

    def note(self, answer: Say) -> None:
        """Remember an answer's thoughts."""
        thoughts = [told(part) for part in answer.parts if isinstance(part, Reasoning)]
        self._said += thoughts
        self._before |= {call.id: thoughts for call in answer.calls}

    def complaint(self, body: Block) -> str:
        """Say what is wrong with the thoughts of a request; nothing when they will do."""
        told = enumerate(blocks_in(body.get("messages")))
        answers = {place: message for place, message in told if message.get("role") == "assistant"}
        wrong = [said for place, message in answers.items() for said in self._changed(place, message)]
        thinking = body.get("thinking")
        kind = thinking.get("type") if isinstance(thinking, dict) else None
        if kind in ("enabled", "adaptive"):
            wrong += [said for message in answers.values() for said in self._missing(message)]
        if kind == "enabled" and answers:
            wrong += began_without(list(answers.values())[-1])
        return next(iter(wrong), "")

    def _changed(self, place: int, message: Block) -> Iterator[str]:
        content = blocks_in(message.get("content"))
        for index, block in enumerate(content):
            if block.get("type") in THOUGHTS and block not in self._said:
                yield f"messages.{place}.content.{index}: Invalid `signature` in `thinking` block"
        if content and content[-1].get("type") in THOUGHTS:
            yield f"messages.{place}: The final block in an assistant message cannot be `thinking`."

    def _missing(self, message: Block) -> Iterator[str]:
        content = blocks_in(message.get("content"))
        handed_back = [block for block in content if block.get("type") in THOUGHTS]
        for call in uses(content):
            if self._before.get(str(call.get("id")), handed_back) != handed_back:
                yield (
                    "`thinking` or `redacted_thinking` blocks in the assistant message with the tool call "
                    f"{call.get('id')} cannot be modified. They must remain as they were in the original response."
                )


def began_without(message: Block) -> list[str]:
    """Say that an answer that called tools did not begin with a thought."""
    content = blocks_in(message.get("content"))
    if not uses(content) or content[0].get("type") in THOUGHTS:
        return []
    return [
        f"Expected `thinking` or `redacted_thinking`, but found `{content[0].get('type')}`. "
        "When `thinking` is enabled, a final `assistant` message must start with a thinking block."
    ]


def uses(content: Sequence[Block]) -> list[Block]:
    """The tool calls among these blocks."""
    return [block for block in content if block.get("type") == "tool_use"]
