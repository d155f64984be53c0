"""Convert messages to Converse's format: tool results first, no blank blocks."""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from hashlib import sha256

from openkoi_hookspecs import Image, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from openkoi_wire import to_vendor_name

from .reasoning_signatures import encode_reasoning

Block = Mapping[str, object]

IMAGE_FORMATS = {
    "image/png": "png",
    "image/jpeg": "jpeg",
    "image/jpg": "jpeg",
    "image/gif": "gif",
    "image/webp": "webp",
}
VALID_ID = re.compile(r"[\w.:-]{1,64}", re.ASCII)
EMPTY_RESULT_TEXT = "(nothing)"


def encode_message(message: Message) -> Iterator[Block]:
    """Yield a message as a turn, or nothing when it would be empty."""
    first = [part for part in message.parts if isinstance(part, ToolResult)]
    rest = [part for part in message.parts if not isinstance(part, ToolResult)]
    content = [encoded for part in (*first, *rest) if (encoded := encode_block(part))]
    if content:
        yield {"role": "assistant" if message.role is Role.ASSISTANT else "user", "content": content}


def encode_block(part: Part) -> Block | None:
    """Return one part as a block, or None for blank text and reasoning without a signature of this vendor."""
    match part:
        case Text(text):
            return {"text": text} if text.strip() else None
        case Image():
            return encode_image(part)
        case ToolCall():
            return encode_call(part)
        case ToolResult():
            return encode_result(part)
        case Reasoning():
            return encode_reasoning(part)


def encode_call(part: ToolCall) -> Block:
    """Return a tool use block."""
    return {
        "toolUse": {"toolUseId": valid_id(part.id), "name": to_vendor_name(part.tool), "input": dict(part.arguments)}
    }


def encode_result(part: ToolResult) -> Block:
    """Return a tool result block."""
    encoded = {
        "toolUseId": valid_id(part.call),
        "content": [{"text": part.text if part.text.strip() else EMPTY_RESULT_TEXT}],
    }
    return {"toolResult": {**encoded, "status": "error"} if part.failed else encoded}


def encode_image(image: Image) -> Block:
    """Return an image block, or a text that replaces an unsupported image type."""
    kind = IMAGE_FORMATS.get(image.media_type.lower())
    if kind is None:
        return {"text": f"(An image of type {image.media_type} was omitted because this model does not support it.)"}
    return {"image": {"format": kind, "source": {"bytes": b64encode(image.data).decode()}}}


def valid_id(call_id: str) -> str:
    """Return an id that Converse accepts; hash one from another vendor that it would reject."""
    return (
        call_id if VALID_ID.fullmatch(call_id) else f"call_{sha256(call_id.encode(errors='replace')).hexdigest()[:24]}"
    )
