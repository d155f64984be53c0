"""The turns of a conversation as Chat Completions has them: results are messages of their own.

Knows facts and the format; writes no bytes.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from json import JSONEncoder

from openkoi_hookspecs import Image, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from openkoi_wire import as_id, as_name

Turn = Mapping[str, object]
ENCODER = JSONEncoder(ensure_ascii=False)


def turns(message: Message, thoughts_back: str = "") -> Iterator[Turn]:
    """Tell one message as the turns that it is."""
    if message.role is Role.ASSISTANT:
        yield assistant(message.parts, thoughts_back)
        return
    yield from (result(part) for part in message.parts if isinstance(part, ToolResult))
    said = [part for part in message.parts if isinstance(part, Text | Image)]
    if said:
        yield {"role": "user", "content": content(said)}


def assistant(parts: Sequence[Part], thoughts_back: str) -> Turn:
    """Tell what the model said and asked for; its thoughts are told again only where they are wanted."""
    text = "".join(part.text for part in parts if isinstance(part, Text))
    calls = [call(part) for part in parts if isinstance(part, ToolCall)]
    if not calls:
        return {"role": "assistant", "content": text}
    thoughts = "".join(part.text for part in parts if isinstance(part, Reasoning))
    back = {thoughts_back: thoughts} if thoughts_back and thoughts else {}
    return {"role": "assistant", "content": text or None, **back, "tool_calls": calls}


def call(asked: ToolCall) -> Turn:
    """Tell of a tool call."""
    arguments = ENCODER.encode(dict(asked.arguments))
    return {
        "id": as_id(asked.id),
        "type": "function",
        "function": {"name": as_name(asked.tool), "arguments": arguments},
    }


def result(answer: ToolResult) -> Turn:
    """Tell of a tool's result."""
    return {"role": "tool", "tool_call_id": as_id(answer.call), "content": answer.text}


def content(said: Sequence[Text | Image]) -> str | list[Turn]:
    """Tell words as words, and words with pictures as a list."""
    texts = [part.text for part in said if isinstance(part, Text)]
    if len(texts) == len(said):
        return "\n".join(texts)
    return [{"type": "text", "text": p.text} if isinstance(p, Text) else picture(p) for p in said]


def picture(image: Image) -> Turn:
    """Tell of a picture, with all its bytes."""
    url = f"data:{image.media_type};base64,{b64encode(image.data).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}
