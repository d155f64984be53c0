"""What the real Converse would refuse in a request. Knows the format's rules; serves nothing."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from openkoi_hookspecs import Json
from openkoi_hookspecs.content import IMAGE_TYPES

from .media import wrong_media

Block = Mapping[str, Json]
Turn = Mapping[str, Json]

POINTS = 4
NAME = re.compile(r"(?!.*  )[A-Za-z0-9 ()\[\]-]{1,200}")
END: Turn = {"role": "user", "content": []}


def wrong(body: Json) -> str:
    """Say what is wrong with a request; nothing when it will do."""
    if not isinstance(body, dict):
        return "The request body is not valid JSON."
    messages = objects(body.get("messages"))
    if not messages or messages[0].get("role") != "user":
        return "A conversation must start with a user message."
    return next(filter(None, (*turns_wrong(messages), *map(turn_wrong, messages), config_wrong(body, messages))), "")


def turns_wrong(messages: Sequence[Turn]) -> Iterator[str]:
    """Say what is wrong with how turns follow each other."""
    for before, after in pairwise((*messages, END)):
        if before.get("role") == after.get("role") and after is not END:
            yield "A conversation must alternate between user and assistant roles."
        asked, answered = ids(before, "toolUse"), ids(after, "toolResult")
        if after is END and not asked:
            continue
        if sorted(asked) != sorted(answered):
            yield f"Expected toolResult blocks for the Ids {', '.join(asked)}, but found: {', '.join(answered)}"


def turn_wrong(turn: Turn) -> str:
    """Say what is wrong with one turn by itself."""
    blocks = objects(turn.get("content"))
    if not blocks:
        return "The content field in the Message object is empty. Add a ContentBlock object to the content field."
    if any(is_blank(block) for block in (*blocks, *inner(blocks))):
        return "The text field in the ContentBlock object is blank. Add text to the text field, and try again."
    if wrong := next(filter(None, map(media_wrong, (*blocks, *inner(blocks)))), ""):
        return wrong
    kinds = ["toolResult" in block for block in blocks]
    return "" if kinds == sorted(kinds, reverse=True) else "toolResult blocks must come first in the content."


def media_wrong(block: Block) -> str:
    """Say what is wrong with an image or a document."""
    document = block.get("document")
    if isinstance(document, dict) and not NAME.fullmatch(str(document.get("name"))):
        return "The document name can only contain alphanumeric characters, single spaces, hyphens and brackets."
    image = block.get("image")
    if not isinstance(image, dict):
        return ""
    source = image.get("source")
    data = source.get("bytes") if isinstance(source, dict) else None
    return wrong_media(f"image/{image.get('format')}", data, IMAGE_TYPES)


def config_wrong(body: Mapping[str, Json], messages: Sequence[Turn]) -> str:
    """Say what is wrong with the tools and the marks of the cache."""
    used = any(ids(turn, "toolUse") or ids(turn, "toolResult") for turn in messages)
    config = body.get("toolConfig")
    if used and not isinstance(config, dict):
        return "The toolConfig field must be defined when using toolUse and toolResult content blocks."
    tools = objects(config.get("tools")) if isinstance(config, dict) else []
    system = objects(body.get("system"))
    if any(is_blank(block) for block in system):
        return "The text field in the SystemContentBlock object is blank."
    everything = [*tools, *system, *(block for turn in messages for block in objects(turn.get("content")))]
    marks = sum("cachePoint" in block for block in everything)
    return f"Found {marks} cache points. A maximum of {POINTS} may be given." if marks > POINTS else ""


def ids(turn: Turn, kind: str) -> list[str]:
    """The ids of the tool calls, or of the results, in a turn."""
    uses = (block.get(kind) for block in objects(turn.get("content")))
    return [str(use.get("toolUseId")) for use in uses if isinstance(use, dict)]


def inner(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks inside of results."""
    for block in blocks:
        result = block.get("toolResult")
        yield from objects(result.get("content")) if isinstance(result, dict) else ()


def is_blank(block: Block) -> bool:
    """Tell whether a block says nothing."""
    text = block.get("text")
    return isinstance(text, str) and not text.strip()


def objects(value: Json) -> list[Block]:
    """The objects of a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
