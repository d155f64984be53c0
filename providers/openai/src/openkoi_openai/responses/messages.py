"""Convert messages to the items of the Responses API."""

import json
from collections.abc import Iterator, Mapping, Sequence

from openkoi_hookspecs import File, Image, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from openkoi_http import data_url, result_text, to_vendor_id, to_vendor_name

from ..user_content import encode_user
from .reasoning_signatures import split_items

Turn = Mapping[str, object]
EMPTY = Text("")


def encode_message(message: Message) -> Iterator[Turn]:
    """Yield a message as items."""
    if message.role is Role.ASSISTANT:
        yield from drop_trailing_reasoning([item for part in message.parts for item in encode_part(part)])
        return
    yield from (encode_result(part) for part in message.parts if isinstance(part, ToolResult))
    parts = [part for part in message.parts if isinstance(part, Text | Image | File)]
    if parts:
        yield {"type": "message", "role": "user", "content": encode_user(parts, to_content_part)}


def encode_part(part: Part) -> Iterator[Turn]:
    """Yield a part of a model's message as items."""
    match part:
        case Reasoning(signature=seal) if seal:
            yield from split_items(seal)
        case Text(text) if text:
            yield {"type": "message", "role": "assistant", "content": text}
        case ToolCall():
            arguments = json.dumps(dict(part.arguments), ensure_ascii=False)
            named = {"call_id": to_vendor_id(part.id), "name": to_vendor_name(part.tool)}
            yield {"type": "function_call", **named, "arguments": arguments}


def drop_trailing_reasoning(items: Sequence[Turn]) -> Sequence[Turn]:
    """Return items without reasoning at the end, which the vendor rejects."""
    last = max((index for index, item in enumerate(items) if item["type"] != "reasoning"), default=-1)
    return items[: last + 1]


def encode_result(answer: ToolResult) -> Turn:
    """Convert a tool's result."""
    output: object = result_text(answer)
    if any(not isinstance(part, Text) for part in answer.parts):
        output = [to_content_part(part) for part in (Text(answer.text), *answer.parts) if part != EMPTY]
    return {"type": "function_call_output", "call_id": to_vendor_id(answer.call), "output": output}


def to_content_part(part: Text | Image | File) -> Turn:
    """Convert text, or an image or a file with all its bytes."""
    match part:
        case Text():
            return {"type": "input_text", "text": part.text}
        case Image():
            return {"type": "input_image", "image_url": data_url(part), "detail": "auto"}
        case File():
            return {"type": "input_file", "filename": part.name, "file_data": data_url(part)}
