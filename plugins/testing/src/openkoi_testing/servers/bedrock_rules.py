"""Find what the real Converse would refuse in a request."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from openkoi_hookspecs import Json
from openkoi_hookspecs.content import IMAGE_TYPES

from .json_body import objects_in
from .media import find_media_error

Block = Mapping[str, Json]
Turn = Mapping[str, Json]

MAX_CACHE_POINTS = 4
NAME = re.compile(r"(?!.*  )[A-Za-z0-9 ()\[\]-]{1,200}")
END: Turn = {"role": "user", "content": []}


def find_error(body: Json) -> str:
    """Return the error in a request; empty when it is valid."""
    if not isinstance(body, dict):
        return "The request body is not valid JSON."
    messages = objects_in(body.get("messages"))
    if not messages or messages[0].get("role") != "user":
        return "A conversation must start with a user message."
    return next(filter(None, (*check_turns(messages), *map(check_turn, messages), check_config(body, messages))), "")


def check_turns(messages: Sequence[Turn]) -> Iterator[str]:
    """Yield errors in how turns follow each other."""
    for before, after in pairwise((*messages, END)):
        if before.get("role") == after.get("role") and after is not END:
            yield "A conversation must alternate between user and assistant roles."
        called, answered = block_ids(before, "toolUse"), block_ids(after, "toolResult")
        if after is END and not called:
            continue
        if sorted(called) != sorted(answered):
            yield f"Expected toolResult blocks for the Ids {', '.join(called)}, but found: {', '.join(answered)}"


def check_turn(turn: Turn) -> str:
    """Return the error in one turn by itself."""
    blocks = objects_in(turn.get("content"))
    if not blocks:
        return "The content field in the Message object is empty. Add a ContentBlock object to the content field."
    if any(is_blank(block) for block in (*blocks, *result_blocks(blocks))):
        return "The text field in the ContentBlock object is blank. Add text to the text field, and try again."
    if wrong := next(filter(None, map(check_media, (*blocks, *result_blocks(blocks)))), ""):
        return wrong
    kinds = ["toolResult" in block for block in blocks]
    return "" if kinds == sorted(kinds, reverse=True) else "toolResult blocks must come first in the content."


def check_media(block: Block) -> str:
    """Return the error in an image or a document."""
    document = block.get("document")
    if isinstance(document, dict) and not NAME.fullmatch(str(document.get("name"))):
        return "The document name can only contain alphanumeric characters, single spaces, hyphens and brackets."
    image = block.get("image")
    if not isinstance(image, dict):
        return ""
    source = image.get("source")
    data = source.get("bytes") if isinstance(source, dict) else None
    return find_media_error(f"image/{image.get('format')}", data, IMAGE_TYPES)


def check_config(body: Mapping[str, Json], messages: Sequence[Turn]) -> str:
    """Return the error in the tools and the cache points."""
    used = any(block_ids(turn, "toolUse") or block_ids(turn, "toolResult") for turn in messages)
    config = body.get("toolConfig")
    if used and not isinstance(config, dict):
        return "The toolConfig field must be defined when using toolUse and toolResult content blocks."
    tools = objects_in(config.get("tools")) if isinstance(config, dict) else []
    system = objects_in(body.get("system"))
    if any(is_blank(block) for block in system):
        return "The text field in the SystemContentBlock object is blank."
    everything = [*tools, *system, *(block for turn in messages for block in objects_in(turn.get("content")))]
    marks = sum("cachePoint" in block for block in everything)
    return (
        f"Found {marks} cache points. A maximum of {MAX_CACHE_POINTS} may be given." if marks > MAX_CACHE_POINTS else ""
    )


def block_ids(turn: Turn, kind: str) -> list[str]:
    """Return the ids of the tool calls, or of the results, in a turn."""
    uses = (block.get(kind) for block in objects_in(turn.get("content")))
    return [str(use.get("toolUseId")) for use in uses if isinstance(use, dict)]


def result_blocks(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield the blocks inside of results."""
    for block in blocks:
        result = block.get("toolResult")
        yield from objects_in(result.get("content")) if isinstance(result, dict) else ()


def is_blank(block: Block) -> bool:
    """Return whether a block has no content."""
    text = block.get("text")
    return isinstance(text, str) and not text.strip()
