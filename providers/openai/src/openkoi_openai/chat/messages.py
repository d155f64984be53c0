"""Convert messages to the Chat Completions format: each tool result is a message."""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from json import JSONEncoder

from openkoi_hookspecs import Image, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from openkoi_wire import to_vendor_id, to_vendor_name

Turn = Mapping[str, object]
ENCODER = JSONEncoder(ensure_ascii=False)


def encode_message(message: Message, reasoning_key: str = "") -> Iterator[Turn]:
    """Yield a message in the API's format."""
    if message.role is Role.ASSISTANT:
        yield encode_assistant(message.parts, reasoning_key)
        return
    yield from (encode_result(part) for part in message.parts if isinstance(part, ToolResult))
    said = [part for part in message.parts if isinstance(part, Text | Image)]
    if said:
        yield {"role": "user", "content": encode_user(said)}


def encode_assistant(parts: Sequence[Part], reasoning_key: str) -> Turn:
    """Return an assistant message; include its reasoning only under a ``reasoning_key``."""
    text = "".join(part.text for part in parts if isinstance(part, Text))
    calls = [encode_call(part) for part in parts if isinstance(part, ToolCall)]
    if not calls:
        return {"role": "assistant", "content": text}
    thoughts = "".join(part.text for part in parts if isinstance(part, Reasoning))
    back = {reasoning_key: thoughts} if reasoning_key and thoughts else {}
    return {"role": "assistant", "content": text or None, **back, "tool_calls": calls}


def encode_call(asked: ToolCall) -> Turn:
    """Return a tool call."""
    arguments = ENCODER.encode(dict(asked.arguments))
    return {
        "id": to_vendor_id(asked.id),
        "type": "function",
        "function": {"name": to_vendor_name(asked.tool), "arguments": arguments},
    }


def encode_result(answer: ToolResult) -> Turn:
    """Return a tool message."""
    return {"role": "tool", "tool_call_id": to_vendor_id(answer.call), "content": answer.text}


def encode_user(said: Sequence[Text | Image]) -> str | list[Turn]:
    """Return text as a string, and text with images as a list."""
    texts = [part.text for part in said if isinstance(part, Text)]
    if len(texts) == len(said):
        return "\n".join(texts)
    return [{"type": "text", "text": p.text} if isinstance(p, Text) else encode_image(p) for p in said]


def encode_image(image: Image) -> Turn:
    """Return an image part."""
    url = f"data:{image.media_type};base64,{b64encode(image.data).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}
