"""Say a turn as a model would: in pieces, with usage at the end, or with the accident it is meant to have."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from openkoi_hookspecs import (
    Chunk,
    FinishReason,
    Image,
    ProviderUnavailableError,
    Reasoning,
    Request,
    RequestRejectedError,
    StreamEnd,
    Text,
    ToolCall,
    Usage,
)

from .matching import prompt, shown_in
from .script import Fault, Mishap, Said, Turn

PIECES = 4
CHARACTERS = 4
IMAGE = 1_000


async def speak(turn: Turn, request: Request, name: str) -> AsyncIterator[Chunk]:
    """Stream one answer. ``name`` tells this answer's calls from those of others."""
    await asyncio.sleep(turn.delay)
    for part in named(turn.parts, name):
        for chunk in pieces(part):
            yield chunk
    if turn.fails is None:
        yield StreamEnd(turn.usage or estimate(request, turn.parts), turn.stop or stop(turn.parts))
    elif turn.fails.mishap is not Mishap.CUT:
        raise accident(turn.fails)


def named(parts: Sequence[Said], name: str) -> list[Said]:
    """Give each call without an id one of its own."""
    return [
        replace(part, id=f"{name}-{n}") if isinstance(part, ToolCall) and not part.id else part
        for n, part in enumerate(parts, 1)
    ]


def pieces(part: Said) -> Sequence[Chunk]:
    """Break words into a few chunks; a call comes whole."""
    if not isinstance(part, Text):
        return [part]
    found = re.findall(r"\s*\S+|\s+\Z", part.text)
    size = max(1, -(-len(found) // PIECES))
    return [Text("".join(found[n : n + size])) for n in range(0, len(found), size)]


def stop(parts: Sequence[Said]) -> FinishReason:
    """Tell why an answer ends: it waits for tools, or it has said all."""
    return FinishReason.TOOLS if any(isinstance(part, ToolCall) for part in parts) else FinishReason.END


def accident(fault: Fault) -> ProviderUnavailableError | RequestRejectedError:
    """Make the error that is raised."""
    if fault.mishap is Mishap.REFUSED:
        return RequestRejectedError(fault.text)
    return ProviderUnavailableError(fault.text, retry_after=fault.retry_after)


def estimate(request: Request, parts: Sequence[Said]) -> Usage:
    """Guess the tokens of a request and its answer from their length; an image is as much as a page."""
    written = sum(len(weight(part)) for part in parts)
    images = sum(isinstance(part, Image) for message in request.messages for part in shown_in(message))
    return Usage(input=tokens(len(prompt(request))) + IMAGE * images, output=tokens(written))


def weight(part: Said) -> str:
    """What of a part costs tokens."""
    match part:
        case Text(text) | Reasoning(text):
            return text
        case ToolCall(tool=tool, arguments=arguments):
            return tool + json.dumps(dict(arguments))


def tokens(characters: int) -> int:
    """Turn characters into tokens, at least one."""
    return max(1, -(-characters // CHARACTERS))
