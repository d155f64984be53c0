"""The turns of a conversation as the Responses API has them: a list of items. Knows facts and the format."""

import json
from collections.abc import Iterator, Mapping, Sequence

from openkoi_hookspecs import File, Image, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from openkoi_wire import as_id, as_name, data_url, result_text

from .seals import unsealed

Turn = Mapping[str, object]
EMPTY = Text("")


def turns(message: Message) -> Iterator[Turn]:
    """Tell one message as the items that it is."""
    if message.role is Role.ASSISTANT:
        yield from followed([item for part in message.parts for item in items(part)])
        return
    yield from (result(part) for part in message.parts if isinstance(part, ToolResult))
    said = [part for part in message.parts if isinstance(part, Text | Image | File)]
    if said:
        yield {"type": "message", "role": "user", "content": content(said)}


def items(part: Part) -> Iterator[Turn]:
    """Tell a part of what the model said; thoughts are handed back under their seal."""
    match part:
        case Reasoning(signature=seal) if seal:
            yield from unsealed(seal)
        case Text(text) if text:
            yield {"type": "message", "role": "assistant", "content": text}
        case ToolCall():
            arguments = json.dumps(dict(part.arguments), ensure_ascii=False)
            named = {"call_id": as_id(part.id), "name": as_name(part.tool)}
            yield {"type": "function_call", **named, "arguments": arguments}


def followed(told: Sequence[Turn]) -> Sequence[Turn]:
    """Leave out thoughts that nothing came of: the vendor refuses them."""
    last = max((place for place, item in enumerate(told) if item["type"] != "reasoning"), default=-1)
    return told[: last + 1]


def result(answer: ToolResult) -> Turn:
    """Tell of a tool's result."""
    output: object = result_text(answer)
    if any(not isinstance(part, Text) for part in answer.parts):
        output = [piece(part) for part in (Text(answer.text), *answer.parts) if part != EMPTY]
    return {"type": "function_call_output", "call_id": as_id(answer.call), "output": output}


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
            return {"type": "input_text", "text": part.text}
        case Image():
            return {"type": "input_image", "image_url": data_url(part), "detail": "auto"}
        case File():
            return {"type": "input_file", "filename": part.name, "file_data": data_url(part)}
