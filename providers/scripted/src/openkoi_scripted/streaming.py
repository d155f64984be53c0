"""Stream a turn in pieces, with usage at the end, or with its deliberate failure."""

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

from .matching import prompt_text, shown_in
from .script import ScriptedFailure, ScriptedFailureKind, ScriptedPart, ScriptedTurn

TEXT_CHUNKS = 4
CHARACTERS_PER_TOKEN = 4
IMAGE = 1_000


async def stream_turn(turn: ScriptedTurn, request: Request, name: str) -> AsyncIterator[Chunk]:
    """Stream a turn; ``name`` is the prefix of generated call ids."""
    await asyncio.sleep(turn.delay)
    for part in add_call_ids(turn.parts, name):
        for chunk in split_part(part):
            yield chunk
    if turn.fails is None:
        yield StreamEnd(turn.usage or estimate_usage(request, turn.parts), turn.stop or finish_reason_for(turn.parts))
    elif turn.fails.kind is not ScriptedFailureKind.CUT:
        raise failure_error(turn.fails)


def add_call_ids(parts: Sequence[ScriptedPart], name: str) -> list[ScriptedPart]:
    """Give each call without an id a generated one."""
    return [
        replace(part, id=f"{name}-{n}") if isinstance(part, ToolCall) and not part.id else part
        for n, part in enumerate(parts, 1)
    ]


def split_part(part: ScriptedPart) -> Sequence[Chunk]:
    """Split text into a few chunks; keep a call whole."""
    if not isinstance(part, Text):
        return [part]
    found = re.findall(r"\s*\S+|\s+\Z", part.text)
    size = max(1, -(-len(found) // TEXT_CHUNKS))
    return [Text("".join(found[n : n + size])) for n in range(0, len(found), size)]


def finish_reason_for(parts: Sequence[ScriptedPart]) -> FinishReason:
    """Return the finish reason that the parts imply."""
    return FinishReason.TOOLS if any(isinstance(part, ToolCall) for part in parts) else FinishReason.END


def failure_error(fault: ScriptedFailure) -> ProviderUnavailableError | RequestRejectedError:
    """Return the error that a failing turn raises."""
    if fault.kind is ScriptedFailureKind.REFUSED:
        return RequestRejectedError(fault.text)
    return ProviderUnavailableError(fault.text, retry_after=fault.retry_after)


def estimate_usage(request: Request, parts: Sequence[ScriptedPart]) -> Usage:
    """Guess the tokens of a request and its answer from their length; an image is as much as a page."""
    written = sum(len(billable_text(part)) for part in parts)
    images = sum(isinstance(part, Image) for message in request.messages for part in shown_in(message))
    return Usage(input=count_tokens(len(prompt_text(request))) + IMAGE * images, output=count_tokens(written))


def billable_text(part: ScriptedPart) -> str:
    """Return the text of a part that costs tokens."""
    match part:
        case Text(text) | Reasoning(text):
            return text
        case ToolCall(tool=tool, arguments=arguments):
            return tool + json.dumps(dict(arguments))


def count_tokens(characters: int) -> int:
    """Estimate tokens from characters, at least one."""
    return max(1, -(-characters // CHARACTERS_PER_TOKEN))
