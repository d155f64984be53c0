"""What OpenAI's Chat Completions answer, streaming or not. Knows the format; serves nothing."""

import json
from collections.abc import Iterator
from itertools import count

from openkoi_hookspecs import Json, Reasoning, ToolCall, Usage

from .openai_wire import CREATED, Body, written
from .say import Said, Say


def events(answer: Say, asked: Body) -> Iterator[bytes]:
    """Stream an answer: who speaks, what is said, why it ends, what it cost."""
    usage_wanted = asked.get("stream_options") == {"include_usage": True}
    head = {"id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": CREATED, "model": asked.get("model")}
    for delta in deltas(answer):
        yield event({**head, "choices": [choice({"delta": delta}, None)]})
    yield event({**head, "choices": [choice({"delta": {}}, finish(answer))]})
    if usage_wanted and answer.usage is not None:
        yield event({**head, "choices": [], "usage": usage(answer.usage)})
    yield b"data: [DONE]\n\n"


def deltas(answer: Say) -> Iterator[Body]:
    """Say an answer piece by piece."""
    yield {"role": "assistant", "content": ""}
    numbers = count()
    for part in answer.parts:
        yield from call_deltas(answer, part, next(numbers)) if isinstance(part, ToolCall) else words(answer, part)


def words(answer: Say, part: Said) -> Iterator[Body]:
    """Say words, or think them aloud."""
    key = "reasoning_content" if isinstance(part, Reasoning) else "content"
    text = "" if isinstance(part, ToolCall) else part.text
    yield from ({key: piece} for piece in answer.pieces(text))


def call_deltas(answer: Say, call: ToolCall, index: int) -> Iterator[Body]:
    """Ask for a tool: its name first, then the arguments in pieces."""
    asked = tool_call(call)
    yield {"tool_calls": [{"index": index, **asked, "function": {"name": call.tool, "arguments": ""}}]}
    for piece in answer.pieces(json.dumps(dict(call.arguments), ensure_ascii=False)):
        yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def completion(answer: Say, asked: Body) -> Body:
    """Say an answer all at once."""
    message: dict[str, object] = {"role": "assistant", "content": answer.text or None, "refusal": None}
    if answer.thoughts:
        message["reasoning_content"] = answer.thoughts
    if answer.calls:
        message["tool_calls"] = [tool_call(call) for call in answer.calls]
    head = {"id": "chatcmpl-fake", "object": "chat.completion", "created": CREATED, "model": asked.get("model")}
    counted = {} if answer.usage is None else {"usage": usage(answer.usage)}
    return {**head, "choices": [choice({"message": message}, finish(answer))], **counted}


def choice(said: Body, reason: str | None) -> Body:
    """The one answer among those that could have been asked for."""
    return {"index": 0, **said, "logprobs": None, "finish_reason": reason}


def finish(answer: Say) -> str:
    """Why an answer ends, in the vendor's word."""
    return answer.finish or ("tool_calls" if answer.calls else "stop")


def tool_call(call: ToolCall) -> Body:
    """A tool call, whole."""
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    return {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": arguments}}


def usage(counted: "Usage | Json") -> "Body | Json":
    """Count as the vendor does: cached tokens are among those of the prompt. Nonsense stays as it is."""
    if not isinstance(counted, Usage):
        return counted
    prompt = counted.input + counted.cache_read + counted.cache_write
    return {
        "prompt_tokens": prompt,
        "completion_tokens": counted.output,
        "total_tokens": prompt + counted.output,
        "prompt_tokens_details": {"cached_tokens": counted.cache_read, "cache_write_tokens": counted.cache_write},
    }


def event(frame: Body) -> bytes:
    """One event of the stream."""
    return b"data: " + written(frame) + b"\n\n"
