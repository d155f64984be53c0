"""Format an answer as Anthropic's models do: as events of a stream, or complete."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from openkoi_hookspecs import Json, Reasoning, Text, ToolCall, Usage

from .anthropic_thoughts import thought_block
from .json_body import Body, to_json
from .say import AnswerPart, Say


def stream_events(answer: Say, asked: Body) -> Iterator[bytes]:
    """Yield the events of an answer: role, block after block, why it ends and what it cost."""
    begun = {**complete_message(answer, asked), "content": [], "stop_reason": None}
    if isinstance(answer.usage, Usage):
        begun["usage"] = usage_of(replace(answer.usage, output=1))
    yield format_event("message_start", message=begun)
    yield format_event("ping")
    for index, part in enumerate(answer.parts):
        yield format_event("content_block_start", index=index, content_block=block_start(part))
        for delta in block_deltas(answer, part):
            yield format_event("content_block_delta", index=index, delta=delta)
        yield format_event("content_block_stop", index=index)
    counted = {} if answer.usage is None else {"usage": final_usage(answer.usage)}
    yield format_event("message_delta", delta={"stop_reason": stop_reason(answer), "stop_sequence": None}, **counted)
    yield format_event("message_stop")


def complete_message(answer: Say, asked: Body) -> dict[str, object]:
    """Return the complete answer."""
    return {
        "id": "msg_fake",
        "type": "message",
        "role": "assistant",
        "model": asked.get("model"),
        "content": [content_block(part) for part in answer.parts],
        "stop_reason": stop_reason(answer),
        "stop_sequence": None,
        **({} if answer.usage is None else {"usage": usage_of(answer.usage)}),
    }


def content_block(part: AnswerPart) -> dict[str, object]:
    """Return one complete part of an answer."""
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case Reasoning():
            return thought_block(part)
        case ToolCall():
            return {"type": "tool_use", "id": part.id, "name": part.tool, "input": dict(part.arguments)}


def block_start(part: AnswerPart) -> Body:
    """Return a block before any content; a thought that is not shown comes complete."""
    empty = {"text": "", "thinking": "", "signature": "", "input": {}}
    return {key: empty.get(key, value) for key, value in content_block(part).items()}


def block_deltas(answer: Say, part: AnswerPart) -> Iterator[Body]:
    """Yield the deltas of one part."""
    match part:
        case Text():
            yield from ({"type": "text_delta", "text": piece} for piece in answer.pieces(part.text))
        case Reasoning() if "signature" in thought_block(part):
            yield from ({"type": "thinking_delta", "thinking": piece} for piece in answer.pieces(part.text))
            yield {"type": "signature_delta", "signature": thought_block(part)["signature"]}
        case ToolCall():
            arguments = json.dumps(dict(part.arguments), ensure_ascii=False)
            pieces = chain([""], answer.pieces(arguments))
            yield from ({"type": "input_json_delta", "partial_json": piece} for piece in pieces)


def stop_reason(answer: Say) -> str:
    """Return why an answer ends, in the vendor's term."""
    return answer.finish or ("tool_use" if answer.calls else "end_turn")


def usage_of(counted: "Usage | Json") -> "dict[str, object] | Json":
    """Return the usage as the vendor counts: cached tokens are counted apart. Invalid values stay as they are."""
    if not isinstance(counted, Usage):
        return counted
    written_for = {"ephemeral_5m_input_tokens": counted.cache_write, "ephemeral_1h_input_tokens": 0}
    return {**usage_numbers(counted), "cache_creation": written_for, "service_tier": "standard"}


def final_usage(counted: "Usage | Json") -> "Body | Json":
    """Return the usage at the end of a stream."""
    return usage_numbers(counted) if isinstance(counted, Usage) else counted


def usage_numbers(counted: Usage) -> dict[str, object]:
    """Return the four numbers under the vendor's names."""
    return {
        "input_tokens": counted.input,
        "cache_creation_input_tokens": counted.cache_write,
        "cache_read_input_tokens": counted.cache_read,
        "output_tokens": counted.output,
    }


def estimate_usage(answer: Say) -> int:
    """Return the tokens of an answer, a quarter of its bytes."""
    return max(1, len(to_json({"content": [content_block(part) for part in answer.parts]})) // 4)


def format_event(event_type: str, **data: object) -> bytes:
    """Return one event of the stream."""
    return b"event: %s\ndata: %s\n\n" % (event_type.encode(), to_json({"type": event_type, **data}))
