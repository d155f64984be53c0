"""The turns of a conversation as Converse has them: blocks of content, results first, and nothing blank.

Knows facts and the format; writes no bytes.
"""

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256

from openkoi_hookspecs import File, Image, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from openkoi_wire import as_name, media_after, result_text

from .media import media
from .seals import handed_back

Block = Mapping[str, object]

AN_ID = re.compile(r"[\w.:-]{1,64}", re.ASCII)
NOTHING = "(nothing)"


def turns(message: Message, *, nested: bool) -> Iterator[Block]:
    """Tell one message as the turn that it is; one that says nothing is none.

    ``nested``: results contain their images. Other models take them only after the results, and so does a failed one.
    """
    first = [part for part in message.parts if isinstance(part, ToolResult)]
    rest = [part for part in message.parts if not isinstance(part, ToolResult)]
    flat = [part for part in first if part.failed or not nested]
    results = [result(part, nested=part not in flat) for part in first]
    content = [*results, *(told for part in (*media_after(flat), *rest) if (told := block(part)))]
    if content:
        yield {"role": "assistant" if message.role is Role.ASSISTANT else "user", "content": content}


def block(part: Part) -> Block | None:
    """Tell one part; blank words, and thoughts without a seal of this vendor, are not read again."""
    match part:
        case Text(text):
            return {"text": text} if text.strip() else None
        case Image() | File():
            return media(part)
        case ToolCall():
            return call(part)
        case ToolResult():
            return result(part, nested=False)
        case Reasoning():
            return handed_back(part)


def call(part: ToolCall) -> Block:
    """Tell of a tool call."""
    return {"toolUse": {"toolUseId": id_of(part.id), "name": as_name(part.tool), "input": dict(part.arguments)}}


def result(part: ToolResult, *, nested: bool) -> Block:
    """Tell of a tool's result."""
    said = [told for one in (Text(part.text), *part.parts) if (told := block(one))] if nested else []
    words = result_text(part)
    told = {"toolUseId": id_of(part.call), "content": said or [{"text": words if words.strip() else NOTHING}]}
    return {"toolResult": {**told, "status": "error"} if part.failed else told}


def id_of(id: str) -> str:
    """Return an id that Converse takes: another vendor's may look as it likes."""
    return id if AN_ID.fullmatch(id) else f"call_{sha256(id.encode(errors='replace')).hexdigest()[:24]}"
