"""Convert messages to the items of the Responses API."""

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence

from openkoi_hookspecs import Image, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from openkoi_wire import to_vendor_id, to_vendor_name

from .reasoning_signatures import split_items

Turn = Mapping[str, object]


def encode_message(message: Message) -> Iterator[Turn]:
    """Yield a message as items."""
    if message.role is Role.ASSISTANT:
        yield from drop_trailing_reasoning([item for part in message.parts for item in encode_part(part)])
        return
    yield from (encode_result(part) for part in message.parts if isinstance(part, ToolResult))
    said = [part for part in message.parts if isinstance(part, Text | Image)]
    if said:
        yield {"type": "message", "role": "user", "content": encode_user(said)}


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
    """Return a function call output item."""
    return {"type": "function_call_output", "call_id": to_vendor_id(answer.call), "output": answer.text}


def encode_user(said: Sequence[Text | Image]) -> str | list[Turn]:
    """Return text as a string, and text with images as a list."""
    texts = [part.text for part in said if isinstance(part, Text)]
    if len(texts) == len(said):
        return "\n".join(texts)
    return [{"type": "input_text", "text": p.text} if isinstance(p, Text) else encode_image(p) for p in said]


def encode_image(image: Image) -> Turn:
    """Return an image part."""
    url = f"data:{image.media_type};base64,{b64encode(image.data).decode()}"
    return {"type": "input_image", "image_url": url, "detail": "auto"}
