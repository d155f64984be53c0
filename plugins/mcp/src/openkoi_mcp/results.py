"""Convert a server's answer to the result of a tool: text, images and files. Pure."""

import binascii
import json
from base64 import b64decode
from collections.abc import Iterable
from typing import Any

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    GetPromptResult,
    ImageContent,
    ReadResourceResult,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from openkoi_hookspecs import Content, File, Image, ToolResult
from openkoi_hookspecs.content import IMAGE_TYPES, MAX_FILE_BYTES, MAX_IMAGE_BYTES

from .definitions import without_tags

CHARACTERS_PER_TOKEN = 4  # of English text, about
MAX_TEXT = 25_000 * CHARACTERS_PER_TOKEN  # of one result; Claude Code's limit for those of MCP servers


def result_of_call(answer: CallToolResult) -> ToolResult:
    """Return the result of a call; an error that the server reports is a failed call, for the model to read."""
    result = result_of(answer.content)
    text = with_structure(result.text, answer.structured_content)
    return ToolResult(shorten(text, MAX_TEXT), parts=result.parts, failed=answer.is_error)


def result_of_prompt(answer: GetPromptResult) -> ToolResult:
    """Return the messages of a prompt."""
    return result_of(message.content for message in answer.messages)


def result_of_resource(answer: ReadResourceResult, *, offset: int, tokens: int) -> ToolResult:
    """Return a resource from an offset on, within a budget of tokens."""
    read = result_of(EmbeddedResource(resource=one) for one in answer.contents)
    return ToolResult(shorten(read.text, tokens * CHARACTERS_PER_TOKEN, offset=offset), parts=read.parts)


def result_of(blocks: Iterable[ContentBlock]) -> ToolResult:
    """Return all texts joined, followed by the other content."""
    contents = [content_of(block) for block in blocks]
    text = "\n".join(one for one in contents if isinstance(one, str))
    return ToolResult(without_tags(text), parts=tuple(one for one in contents if not isinstance(one, str)))


def content_of(block: ContentBlock) -> str | Content:
    """Return one piece of a result, or why it cannot be shown."""
    match block:
        case TextContent(text=text):
            return text
        case ImageContent(data=data, mime_type=kind):
            return media_of(data, kind, "image")
        case AudioContent(data=data, mime_type=kind):
            return media_of(data, kind, "audio")
        case ResourceLink(uri=uri, name=name):
            return f"[resource {name}: {uri}]"
        case EmbeddedResource(resource=TextResourceContents(text=text)):
            return text
        case EmbeddedResource(resource=BlobResourceContents(blob=data, uri=uri, mime_type=kind)):
            return media_of(data, kind or "application/octet-stream", uri.rpartition("/")[2] or "resource")
    return f"[{block.type} is not supported]"


def media_of(data: str, kind: str, name: str) -> str | Content:
    """Return an image or a file, or a sentence if it is damaged or too large."""
    try:
        content = b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return f"[{name} ({kind}) is not valid base64]"
    image = kind in IMAGE_TYPES
    if len(content) > (MAX_IMAGE_BYTES if image else MAX_FILE_BYTES):
        return f"[{name} ({kind}) is too large: {len(content):,} bytes]"
    return Image(content, kind) if image else File(content, kind, name)


def with_structure(text: str, structure: Any) -> str:
    """Return a text with the structured result appended, unless it already contains it."""
    if structure is None or structure == {"result": text} or is_json_of(text, structure):
        return text
    return "\n".join(filter(None, [text, json.dumps(structure, ensure_ascii=False)]))


def is_json_of(text: str, structure: Any) -> bool:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return bool(structure in (found, {"result": found}))


def shorten(text: str, limit: int, *, offset: int = 0) -> str:
    """Return at most ``limit`` characters, and state what is omitted and how to read on."""
    left = text[offset:]
    if len(left) <= limit:
        return left
    end = offset + limit
    return f"{left[:limit]}\n[{len(text) - end:,} of {len(text):,} characters are omitted; they begin at offset {end}]"
