"""How Anthropic's models say an answer: as events of a stream, or all at once. Knows the format; serves nothing."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain

from openkoi_hookspecs import Json, Reasoning, Text, ToolCall, Usage

from .anthropic_thoughts import told
from .say import Said, Say

Body = Mapping[str, object]


def events(answer: Say, asked: Body) -> Iterator[bytes]:
    """Stream an answer: who speaks, block after block, why it ends and what it cost."""
    begun = {**message(answer, asked), "content": [], "stop_reason": None}
    if isinstance(answer.usage, Usage):
        begun["usage"] = usage(replace(answer.usage, output=1))
    yield event("message_start", message=begun)
    yield event("ping")
    for index, part in enumerate(answer.parts):
        yield event("content_block_start", index=index, content_block=beginning(part))
        for delta in deltas(answer, part):
            yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    counted = {} if answer.usage is None else {"usage": cumulative(answer.usage)}
    yield event("message_delta", delta={"stop_reason": finish(answer), "stop_sequence": None}, **counted)
    yield event("message_stop")


def message(answer: Say, asked: Body) -> dict[str, object]:
    """Say an answer all at once."""
    return {
        "id": "msg_fake",
        "type": "message",
        "role": "assistant",
        "model": asked.get("model"),
        "content": [block(part) for part in answer.parts],
        "stop_reason": finish(answer),
        "stop_sequence": None,
        **({} if answer.usage is None else {"usage": usage(answer.usage)}),
    }


def block(part: Said) -> dict[str, object]:
    """One part of an answer, whole."""
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case Reasoning():
            return told(part)
        case ToolCall():
            return {"type": "tool_use", "id": part.id, "name": part.tool, "input": dict(part.arguments)}


def beginning(part: Said) -> Body:
    """What a block is before anything is said in it; a thought that is not told comes whole."""
    empty = {"text": "", "thinking": "", "signature": "", "input": {}}
    return {key: empty.get(key, value) for key, value in block(part).items()}


def deltas(answer: Say, part: Said) -> Iterator[Body]:
    """Say one part piece by piece."""
    match part:
        case Text():
            yield from ({"type": "text_delta", "text": piece} for piece in answer.pieces(part.text))
        case Reasoning() if "signature" in told(part):
            yield from ({"type": "thinking_delta", "thinking": piece} for piece in answer.pieces(part.text))
            yield {"type": "signature_delta", "signature": told(part)["signature"]}
        case ToolCall():
            arguments = json.dumps(dict(part.arguments), ensure_ascii=False)
            pieces = chain([""], answer.pieces(arguments))
            yield from ({"type": "input_json_delta", "partial_json": piece} for piece in pieces)


def finish(answer: Say) -> str:
    """Why an answer ends, in the vendor's word."""
    return answer.finish or ("tool_use" if answer.calls else "end_turn")


def usage(counted: "Usage | Json") -> "dict[str, object] | Json":
    """Count as the vendor does: what was cached is counted apart. Nonsense stays as it is."""
    if not isinstance(counted, Usage):
        return counted
    written_for = {"ephemeral_5m_input_tokens": counted.cache_write, "ephemeral_1h_input_tokens": 0}
    return {**numbers(counted), "cache_creation": written_for, "service_tier": "standard"}


def cumulative(counted: "Usage | Json") -> "Body | Json":
    """What is counted at the end of a stream."""
    return numbers(counted) if isinstance(counted, Usage) else counted


def numbers(counted: Usage) -> dict[str, object]:
    """The four numbers under the vendor's names."""
    return {
        "input_tokens": counted.input,
        "cache_creation_input_tokens": counted.cache_write,
        "cache_read_input_tokens": counted.cache_read,
        "output_tokens": counted.output,
    }


def usage_of_words(answer: Say) -> int:
    """Count the tokens of an answer, a quarter of its bytes."""
    return max(1, len(written({"content": [block(part) for part in answer.parts]})) // 4)


def event(type: str, **said: object) -> bytes:
    """One event of the stream."""
    return b"event: %s\ndata: %s\n\n" % (type.encode(), written({"type": type, **said}))


def written(value: Body) -> bytes:
    """Write JSON as the vendor does, characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
