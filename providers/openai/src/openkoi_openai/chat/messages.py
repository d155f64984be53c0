"""Convert messages to the Chat Completions format: each tool result is a message."""

from collections.abc import Iterator, Mapping, Sequence
from json import JSONEncoder

from openkoi_hookspecs import File, Image, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from openkoi_http import data_url, media_after, result_text, to_vendor_id, to_vendor_name

from ..user_content import encode_user

Turn = Mapping[str, object]
ENCODER = JSONEncoder(ensure_ascii=False)


def encode_message(message: Message, reasoning_key: str = "") -> Iterator[Turn]:
    """Yield a message in the API's format."""
    if message.role is Role.ASSISTANT:
        yield encode_assistant(message.parts, reasoning_key)
        return
    yield from (encode_result(part) for part in message.parts if isinstance(part, ToolResult))
    parts = [*media_after(message.parts), *(part for part in message.parts if isinstance(part, Text | Image | File))]
    if parts:
        yield {"role": "user", "content": encode_user(parts, to_content_part)}


def encode_assistant(parts: Sequence[Part], reasoning_key: str) -> Turn:
    """Return an assistant message; include its reasoning only under a ``reasoning_key``."""
    text = "".join(part.text for part in parts if isinstance(part, Text))
    calls = [encode_call(part) for part in parts if isinstance(part, ToolCall)]
    if not calls:
        return {"role": "assistant", "content": text}
    thoughts = "".join(part.text for part in parts if isinstance(part, Reasoning))
    back = {reasoning_key: thoughts} if reasoning_key and thoughts else {}
    return {"role": "assistant", "content": text or None, **back, "tool_calls": calls}


def encode_call(call: ToolCall) -> Turn:
    """Return a tool call."""
    arguments = ENCODER.encode(dict(call.arguments))
    return {
        "id": to_vendor_id(call.id),
        "type": "function",
        "function": {"name": to_vendor_name(call.tool), "arguments": arguments},
    }


def encode_result(answer: ToolResult) -> Turn:
    """Convert a tool's result, which is only text: its images follow all results in a message of the user."""
    return {"role": "tool", "tool_call_id": to_vendor_id(answer.call), "content": result_text(answer)}


def to_content_part(part: Text | Image | File) -> Turn:
    """Convert text, or an image or a file with all its bytes."""
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case Image():
            return {"type": "image_url", "image_url": {"url": data_url(part)}}
        case File():
            return {"type": "file", "file": {"filename": part.name, "file_data": data_url(part)}}
