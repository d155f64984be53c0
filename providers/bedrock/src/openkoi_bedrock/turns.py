"""The turns of a conversation as Converse has them: blocks of content, results first, and nothing blank.

Knows facts and the format; writes no bytes.
"""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from hashlib import sha256

from openkoi_hookspecs import Image, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from openkoi_wire import as_name

from .seals import handed_back

Block = Mapping[str, object]

PICTURES = {"image/png": "png", "image/jpeg": "jpeg", "image/jpg": "jpeg", "image/gif": "gif", "image/webp": "webp"}
AN_ID = re.compile(r"[\w.:-]{1,64}", re.ASCII)
NOTHING = "(nothing)"


def turns(message: Message) -> Iterator[Block]:
    """Tell one message as the turn that it is; one that says nothing is none."""
    first = [part for part in message.parts if isinstance(part, ToolResult)]
    rest = [part for part in message.parts if not isinstance(part, ToolResult)]
    content = [told for part in (*first, *rest) if (told := block(part))]
    if content:
        yield {"role": "assistant" if message.role is Role.ASSISTANT else "user", "content": content}


def block(part: Part) -> Block | None:
    """Tell one part; blank words, and thoughts without a seal of this vendor, are not read again."""
    match part:
        case Text(text):
            return {"text": text} if text.strip() else None
        case Image():
            return picture(part)
        case ToolCall():
            return call(part)
        case ToolResult():
            return result(part)
        case Reasoning():
            return handed_back(part)


def call(part: ToolCall) -> Block:
    """Tell of a tool call."""
    return {"toolUse": {"toolUseId": id_of(part.id), "name": as_name(part.tool), "input": dict(part.arguments)}}


def result(part: ToolResult) -> Block:
    """Tell of a tool's result."""
    told = {"toolUseId": id_of(part.call), "content": [{"text": part.text if part.text.strip() else NOTHING}]}
    return {"toolResult": {**told, "status": "error"} if part.failed else told}


def picture(image: Image) -> Block:
    """Tell of a picture, or that one stood there which Converse cannot show."""
    kind = PICTURES.get(image.media_type.lower())
    if kind is None:
        return {"text": f"(A picture of the type {image.media_type} stood here, which this model cannot be shown.)"}
    return {"image": {"format": kind, "source": {"bytes": b64encode(image.data).decode()}}}


def id_of(id: str) -> str:
    """Return an id that Converse takes: another vendor's may look as it likes."""
    return id if AN_ID.fullmatch(id) else f"call_{sha256(id.encode(errors='replace')).hexdigest()[:24]}"
