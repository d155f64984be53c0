"""The turns of a conversation as Chat Completions has them: results are messages of their own.

Knows facts and the format; writes no bytes.
"""

from collections.abc import Iterator, Mapping, Sequence
from json import JSONEncoder

from openkoi_hookspecs import File, Image, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from openkoi_wire import as_id, as_name, data_url, media_after, result_text

Turn = Mapping[str, object]
ENCODER = JSONEncoder(ensure_ascii=False)


def turns(message: Message, thoughts_back: str = "") -> Iterator[Turn]:
    """Tell one message as the turns that it is."""
    if message.role is Role.ASSISTANT:
        yield assistant(message.parts, thoughts_back)
        return
    yield from (result(part) for part in message.parts if isinstance(part, ToolResult))
    said = [*media_after(message.parts), *(part for part in message.parts if isinstance(part, Text | Image | File))]
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
    """Tell of a tool's result, which is words alone: its images come in a message of the user, after all results."""
    return {"role": "tool", "tool_call_id": as_id(answer.call), "content": result_text(answer)}


def content(said: Sequence[Text | Image | File]) -> str | list[Turn]:
    """Tell words as words, and words with pictures or files as a list."""
    texts = [part.text for part in said if isinstance(part, Text)]
    if len(texts) == len(said):
        return "\n".join(texts)
    return [piece(part) for part in said]


def piece(part: Text | Image | File) -> Turn:
    """Tell words, or a picture or a file with all its bytes."""
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case Image():
            return {"type": "image_url", "image_url": {"url": data_url(part)}}
        case File():
            return {"type": "file", "file": {"filename": part.name, "file_data": data_url(part)}}
