"""Format answers of OpenAI's Chat Completions, streaming or not."""

import json
from collections.abc import Iterator
from itertools import count

from openkoi_hookspecs import Json, Reasoning, ToolCall, Usage

from .json_body import Body, to_json
from .openai_json import CREATED
from .say import AnswerPart, Say


def stream_events(answer: Say, asked: Body) -> Iterator[bytes]:
    """Yield the events of an answer: role, content, why it ends, what it cost."""
    usage_wanted = asked.get("stream_options") == {"include_usage": True}
    head = {"id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": CREATED, "model": asked.get("model")}
    for delta in response_deltas(answer):
        yield format_event({**head, "choices": [choice_entry({"delta": delta}, None)]})
    yield format_event({**head, "choices": [choice_entry({"delta": {}}, finish_reason(answer))]})
    if usage_wanted and answer.usage is not None:
        yield format_event({**head, "choices": [], "usage": usage_of(answer.usage)})
    yield b"data: [DONE]\n\n"


def response_deltas(answer: Say) -> Iterator[Body]:
    """Yield an answer in pieces."""
    yield {"role": "assistant", "content": ""}
    numbers = count()
    for part in answer.parts:
        yield from call_deltas(answer, part, next(numbers)) if isinstance(part, ToolCall) else text_deltas(answer, part)


def text_deltas(answer: Say, part: AnswerPart) -> Iterator[Body]:
    """Yield words or thoughts in pieces."""
    key = "reasoning_content" if isinstance(part, Reasoning) else "content"
    text = "" if isinstance(part, ToolCall) else part.text
    yield from ({key: piece} for piece in answer.pieces(text))


def call_deltas(answer: Say, call: ToolCall, index: int) -> Iterator[Body]:
    """Yield a tool call: its name first, then the arguments in pieces."""
    asked = tool_call_entry(call)
    yield {"tool_calls": [{"index": index, **asked, "function": {"name": call.tool, "arguments": ""}}]}
    for piece in answer.pieces(json.dumps(dict(call.arguments), ensure_ascii=False)):
        yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def complete_response(answer: Say, asked: Body) -> Body:
    """Return the complete answer."""
    message: dict[str, object] = {"role": "assistant", "content": answer.text or None, "refusal": None}
    if answer.thoughts:
        message["reasoning_content"] = answer.thoughts
    if answer.calls:
        message["tool_calls"] = [tool_call_entry(call) for call in answer.calls]
    head = {"id": "chatcmpl-fake", "object": "chat.completion", "created": CREATED, "model": asked.get("model")}
    counted = {} if answer.usage is None else {"usage": usage_of(answer.usage)}
    return {**head, "choices": [choice_entry({"message": message}, finish_reason(answer))], **counted}


def choice_entry(delta: Body, reason: str | None) -> Body:
    """Return the answer as the only choice."""
    return {"index": 0, **delta, "logprobs": None, "finish_reason": reason}


def finish_reason(answer: Say) -> str:
    """Return why an answer ends, in the vendor's term."""
    return answer.finish or ("tool_calls" if answer.calls else "stop")


def tool_call_entry(call: ToolCall) -> Body:
    """Return a complete tool call."""
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    return {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": arguments}}


def usage_of(counted: "Usage | Json") -> "Body | Json":
    """Return the usage as the vendor counts: cached tokens are within the prompt's. Invalid values stay as they are."""
    if not isinstance(counted, Usage):
        return counted
    prompt = counted.prompt
    return {
        "prompt_tokens": prompt,
        "completion_tokens": counted.output,
        "total_tokens": prompt + counted.output,
        "prompt_tokens_details": {"cached_tokens": counted.cache_read, "cache_write_tokens": counted.cache_write},
    }


def format_event(frame: Body) -> bytes:
    """Return one event of the stream."""
    return b"data: " + to_json(frame) + b"\n\n"
