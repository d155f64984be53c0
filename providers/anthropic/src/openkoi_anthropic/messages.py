"""Convert messages to the Messages API's format: tool results first, no empty blocks."""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping

from openkoi_hookspecs import Image, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from openkoi_wire import to_vendor_name

from .reasoning_signatures import THINKING_TYPES, encode_reasoning

Turn = Mapping[str, object]

CACHE_BREAKPOINT = {"type": "ephemeral"}
EMPTY_FAILURE_TEXT = "The tool failed without output."
NAME = re.compile(r"[\w-]{1,128}", re.ASCII)


def encode_message(message: Message) -> Iterator[Turn]:
    """Yield a message in the vendor's format, or nothing when it would be empty."""
    blocks = encode_blocks(message)
    if blocks:
        yield {"role": str(message.role), "content": blocks}


def encode_message_with_breakpoint(message: Message) -> Iterator[Turn]:
    """Yield a message with a cache breakpoint on its last block."""
    blocks = encode_blocks(message)
    if blocks:
        yield {"role": str(message.role), "content": [*blocks[:-1], add_breakpoint(blocks[-1])]}


def add_breakpoint(block: Turn) -> Turn:
    """Add a cache breakpoint to a block."""
    return {**block, "cache_control": CACHE_BREAKPOINT}


def encode_blocks(message: Message) -> list[Turn]:
    """Return the blocks of a message: tool results first, and no reasoning last."""
    parts = sorted(message.parts, key=lambda part: not isinstance(part, ToolResult))
    blocks = [encoded for part in parts if (encoded := encode_block(part)) is not None]
    while message.role is Role.ASSISTANT and blocks and blocks[-1]["type"] in THINKING_TYPES:
        blocks.pop()
    return blocks


def encode_block(part: Part) -> Turn | None:
    """Return one part as a block, or None when it may not be sent."""
    match part:
        case Text():
            return encode_text(part.text) if part.text.strip() else None
        case Reasoning():
            return encode_reasoning(part)
        case Image():
            return encode_image(part)
        case ToolCall():
            name = to_vendor_name(part.tool, NAME)
            return {"type": "tool_use", "id": to_vendor_name(part.id), "name": name, "input": dict(part.arguments)}
        case ToolResult():
            return encode_result(part)


def encode_text(words: str) -> Turn:
    """Return a text block."""
    return {"type": "text", "text": words}


def encode_result(answer: ToolResult) -> Turn:
    """Return a tool result block; a failure without output gets a text."""
    output = answer.text if answer.text.strip() else EMPTY_FAILURE_TEXT if answer.failed else ""
    content = {"content": output} if output else {}
    failed = {"is_error": True} if answer.failed else {}
    return {"type": "tool_result", "tool_use_id": to_vendor_name(answer.call), **content, **failed}


def encode_image(image: Image) -> Turn:
    """Return an image block."""
    data = b64encode(image.data).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": image.media_type, "data": data}}
