"""Convert messages to Converse's format: tool results first, no blank blocks."""

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256

from openkoi_hookspecs import File, Image, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_http import media_after, result_text, to_vendor_name

from .media import media
from .reasoning_signatures import encode_reasoning

Block = Mapping[str, object]

VALID_ID = lazy_pattern(r"[\w.:-]{1,64}", re.ASCII)
EMPTY_RESULT_TEXT = "(nothing)"


def encode_message(message: Message, *, nested: bool) -> Iterator[Block]:
    """Convert a message to a turn; an empty message becomes no turn.

    ``nested``: results contain their images. With other models, and in a failed result, images follow the results.
    """
    first = [part for part in message.parts if isinstance(part, ToolResult)]
    rest = [part for part in message.parts if not isinstance(part, ToolResult)]
    flat = [part for part in first if part.failed or not nested]
    results = [encode_result(part, nested=part not in flat) for part in first]
    content = [*results, *(encoded for part in (*media_after(flat), *rest) if (encoded := encode_block(part)))]
    if content:
        yield {"role": "assistant" if message.role is Role.ASSISTANT else "user", "content": content}


def encode_block(part: Part) -> Block | None:
    """Return one part as a block, or None for blank text and reasoning without a signature of this vendor."""
    match part:
        case Text(text):
            return {"text": text} if text.strip() else None
        case Image() | File():
            return media(part)
        case ToolCall():
            return encode_call(part)
        case ToolResult():
            return encode_result(part, nested=False)
        case Reasoning():
            return encode_reasoning(part)


def encode_call(part: ToolCall) -> Block:
    """Return a tool use block."""
    return {
        "toolUse": {"toolUseId": valid_id(part.id), "name": to_vendor_name(part.tool), "input": dict(part.arguments)}
    }


def encode_result(part: ToolResult, *, nested: bool) -> Block:
    """Convert a tool's result."""
    blocks = [encoded for one in (Text(part.text), *part.parts) if (encoded := encode_block(one))] if nested else []
    words = result_text(part)
    encoded = {
        "toolUseId": valid_id(part.call),
        "content": blocks or [{"text": words if words.strip() else EMPTY_RESULT_TEXT}],
    }
    return {"toolResult": {**encoded, "status": "error"} if part.failed else encoded}


def valid_id(call_id: str) -> str:
    """Return an id that Converse accepts; hash one from another vendor that it would reject."""
    return (
        call_id if VALID_ID.fullmatch(call_id) else f"call_{sha256(call_id.encode(errors='replace')).hexdigest()[:24]}"
    )
