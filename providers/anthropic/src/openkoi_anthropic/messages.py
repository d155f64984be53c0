"""Convert messages to the Messages API's format: tool results first, no empty blocks."""

import re
from collections.abc import Iterator, Mapping

from openkoi_hookspecs import File, Image, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_http import base64_of, media_after, result_text, to_vendor_name

from .reasoning_signatures import THINKING_TYPES, encode_reasoning

Turn = Mapping[str, object]

CACHE_BREAKPOINT = {"type": "ephemeral"}
EMPTY_FAILURE_TEXT = "The tool failed without output."
NAME = lazy_pattern(r"[\w-]{1,128}", re.ASCII)


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
    """Convert the parts of a message: results stand first, and no turn ends with a thought.

    A failed result may contain only text, so its images follow.
    """
    results = [part for part in message.parts if isinstance(part, ToolResult)]
    others = [part for part in message.parts if not isinstance(part, ToolResult)]
    parts = (*results, *media_after(one for one in results if one.failed), *others)
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
        case File():
            return document(part)
        case ToolCall():
            name = to_vendor_name(part.tool, NAME)
            return {"type": "tool_use", "id": to_vendor_name(part.id), "name": name, "input": dict(part.arguments)}
        case ToolResult():
            return encode_result(part)


def encode_text(words: str) -> Turn:
    """Return a text block."""
    return {"type": "text", "text": words}


def encode_result(answer: ToolResult) -> Turn:
    """Convert a tool's result: a failure has text, and nothing else; a success may be empty."""
    output, content = result_text(answer), dict[str, object]()
    if answer.failed:
        content = {"content": output if output.strip() else EMPTY_FAILURE_TEXT, "is_error": True}
    elif answer.parts:
        content = {
            "content": [encoded for part in (Text(answer.text), *answer.parts) if (encoded := encode_block(part))]
        }
    elif output.strip():
        content = {"content": output}
    return {"type": "tool_result", "tool_use_id": to_vendor_name(answer.call), **content}


def encode_image(image: Image) -> Turn:
    """Convert an image, with all its bytes."""
    return {"type": "image", "source": encode_source(image)}


def document(file: File) -> Turn:
    """Convert a file, with all its bytes."""
    return {"type": "document", "source": encode_source(file), "title": file.name}


def encode_source(part: Image | File) -> Turn:
    """Return a part's bytes in base64."""
    return {"type": "base64", "media_type": part.media_type, "data": base64_of(part)}
