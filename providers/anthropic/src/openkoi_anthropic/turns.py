"""The turns of a conversation as the Messages API has them: blocks, results first, nothing empty.

Knows facts and the format; writes no bytes.
"""

import re
from collections.abc import Iterator, Mapping

from openkoi_hookspecs import File, Image, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from openkoi_wire import as_name, base64_of, media_after, result_text

from .seals import KINDS, handed_back

Turn = Mapping[str, object]

MARK = {"type": "ephemeral"}
SILENT = "It failed without a word."
NAME = re.compile(r"[\w-]{1,128}", re.ASCII)


def turns(message: Message) -> Iterator[Turn]:
    """Tell one message; nothing when there is nothing in it that the vendor takes."""
    blocks = blocks_of(message)
    if blocks:
        yield {"role": str(message.role), "content": blocks}


def marked_turns(message: Message) -> Iterator[Turn]:
    """Tell one message, with a mark at its end: what stands until there is cached."""
    blocks = blocks_of(message)
    if blocks:
        yield {"role": str(message.role), "content": [*blocks[:-1], marked(blocks[-1])]}


def marked(block: Turn) -> Turn:
    """Put a mark on a block."""
    return {**block, "cache_control": MARK}


def blocks_of(message: Message) -> list[Turn]:
    """Tell the parts of a message: results stand first, and no turn ends with a thought.

    What failed may say words alone: its images follow.
    """
    results = [part for part in message.parts if isinstance(part, ToolResult)]
    others = [part for part in message.parts if not isinstance(part, ToolResult)]
    parts = (*results, *media_after(one for one in results if one.failed), *others)
    blocks = [told for part in parts if (told := block(part)) is not None]
    while message.role is Role.ASSISTANT and blocks and blocks[-1]["type"] in KINDS:
        blocks.pop()
    return blocks


def block(part: Part) -> Turn | None:
    """Tell one part; None when it may not be sent."""
    match part:
        case Text():
            return text(part.text) if part.text.strip() else None
        case Reasoning():
            return handed_back(part)
        case Image():
            return picture(part)
        case File():
            return document(part)
        case ToolCall():
            name = as_name(part.tool, NAME)
            return {"type": "tool_use", "id": as_name(part.id), "name": name, "input": dict(part.arguments)}
        case ToolResult():
            return result(part)


def text(words: str) -> Turn:
    """Tell words."""
    return {"type": "text", "text": words}


def result(answer: ToolResult) -> Turn:
    """Tell of a tool's result: a failure says something, and only words; success may be silent."""
    said, content = result_text(answer), dict[str, object]()
    if answer.failed:
        content = {"content": said if said.strip() else SILENT, "is_error": True}
    elif answer.parts:
        content = {"content": [told for part in (Text(answer.text), *answer.parts) if (told := block(part))]}
    elif said.strip():
        content = {"content": said}
    return {"type": "tool_result", "tool_use_id": as_name(answer.call), **content}


def picture(image: Image) -> Turn:
    """Tell of a picture, with all its bytes."""
    return {"type": "image", "source": source(image)}


def document(file: File) -> Turn:
    """Tell of a file, with all its bytes."""
    return {"type": "document", "source": source(file), "title": file.name}


def source(part: Image | File) -> Turn:
    """Tell the bytes of a part."""
    return {"type": "base64", "media_type": part.media_type, "data": base64_of(part)}
