"""Format answers of OpenAI's Responses API, streaming or not.

The word of ``Say.finish`` ends an answer: ``length`` and ``content_filter`` make it incomplete, ``refusal`` makes its
words a refusal, ``failed`` makes it fail.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import count

from openkoi_hookspecs import Json, Reasoning, Text, ToolCall, Usage

from .json_body import Body, to_json
from .openai_json import CREATED, as_object
from .openai_rules import ENCRYPTED_REASONING
from .say import AnswerPart, Say

INCOMPLETE_REASONS = {
    "length": "max_output_tokens",
    "max_output_tokens": "max_output_tokens",
    "content_filter": "content_filter",
}
FAILED_ERROR = {"code": "server_error", "message": "The server had an error while processing your request."}


def response_object(answer: Say, asked: Body, status: str = "") -> Body:
    """Return an answer at the beginning, or at the end."""
    ended = status != "in_progress"
    cut = INCOMPLETE_REASONS.get(answer.finish) if ended else None
    failed = ended and answer.finish == "failed"
    return {
        "id": "resp_fake",
        "object": "response",
        "created_at": CREATED,
        "status": status or ("failed" if failed else "incomplete" if cut else "completed"),
        "error": FAILED_ERROR if failed else None,
        "incomplete_details": {"reason": cut} if cut else None,
        "instructions": asked.get("instructions"),
        "metadata": {},
        "model": asked.get("model"),
        "output": [output_item(answer, asked, place) for place in range(len(answer.parts))] if ended else [],
        "parallel_tool_calls": True,
        "temperature": asked.get("temperature", 1.0),
        "tool_choice": "auto",
        "tools": asked.get("tools", []),
        "top_p": 1.0,
        "store": asked.get("store", True),
        **({"usage": usage_of(answer.usage)} if ended and answer.usage is not None else {}),
    }


def stream_events(answer: Say, asked: Body) -> Iterator[bytes]:
    """Yield the events of an answer, each with its number."""
    numbers = count()
    for kind, data in named_events(answer, asked):
        frame = {"type": kind, **data, "sequence_number": next(numbers)}
        yield f"event: {kind}\ndata: ".encode() + to_json(frame) + b"\n\n"


def named_events(answer: Say, asked: Body) -> Iterator[tuple[str, Body]]:
    """Yield the events: it begins, each item comes, it ends."""
    begun = response_object(answer, asked, "in_progress")
    yield "response.created", {"response": begun}
    yield "response.in_progress", {"response": begun}
    for place, part in enumerate(answer.parts):
        whole = output_item(answer, asked, place)
        yield "response.output_item.added", {"output_index": place, "item": {**whole, **item_start(part)}}
        at = {"item_id": whole["id"], "output_index": place}
        for kind, data in item_events(answer, part, whole):
            yield f"response.{kind}", {**at, **data}
        yield "response.output_item.done", {"output_index": place, "item": whole}
    ended = response_object(answer, asked)
    yield f"response.{ended['status']}", {"response": ended}


def item_events(answer: Say, part: AnswerPart, whole: Body) -> Iterator[tuple[str, Body]]:
    """Yield the events of one item."""
    match part:
        case Reasoning() if whole["summary"]:
            yield from thought_events(answer, part.text)
        case Text():
            yield from text_events(answer, part.text)
        case ToolCall():
            arguments = str(whole["arguments"])
            for piece in answer.pieces(arguments):
                yield "function_call_arguments.delta", {"delta": piece}
            yield "function_call_arguments.done", {"name": part.tool, "arguments": arguments}


def thought_events(answer: Say, text: str) -> Iterator[tuple[str, Body]]:
    """Yield the events of a reasoning summary."""
    at = {"summary_index": 0}
    yield "reasoning_summary_part.added", {**at, "part": summary_part("")}
    for piece in answer.pieces(text):
        yield "reasoning_summary_text.delta", {**at, "delta": piece}
    yield "reasoning_summary_text.done", {**at, "text": text}
    yield "reasoning_summary_part.done", {**at, "part": summary_part(text)}


def text_events(answer: Say, text: str) -> Iterator[tuple[str, Body]]:
    """Yield the events of the answer, or why there is none."""
    at = {"content_index": 0}
    refused = answer.finish == "refusal"
    kind = "refusal" if refused else "output_text"
    extra: Body = {} if refused else {"logprobs": []}
    yield "content_part.added", {**at, "part": message_part(answer, "")}
    for piece in answer.pieces(text):
        yield f"{kind}.delta", {**at, "delta": piece, **extra}
    yield f"{kind}.done", {**at, "refusal" if refused else "text": text, **extra}
    yield "content_part.done", {**at, "part": message_part(answer, text)}


def output_item(answer: Say, asked: Body, place: int) -> dict[str, object]:
    """Return a complete item of the answer."""
    part = answer.parts[place]
    match part:
        case Reasoning():
            shown = [summary_part(part.text)] if as_object(as_json(asked.get("reasoning"))).get("summary") else []
            seal = (
                {"encrypted_content": part.signature or f"sealed-{place}"}
                if ENCRYPTED_REASONING in str(asked.get("include"))
                else {}
            )
            return {"id": f"rs_{place}", "type": "reasoning", "summary": shown, **seal}
        case ToolCall():
            arguments = json.dumps(dict(part.arguments), ensure_ascii=False)
            data = {"call_id": part.id, "name": part.tool, "arguments": arguments, "status": "completed"}
            return {"id": f"fc_{place}", "type": "function_call", **data}
    content = {"role": "assistant", "status": "completed", "content": [message_part(answer, part.text)]}
    return {"id": f"msg_{place}", "type": "message", **content}


def item_start(part: AnswerPart) -> Mapping[str, object]:
    """Return the item without the fields that arrive later."""
    if isinstance(part, Reasoning):
        return {"summary": []}
    return {"status": "in_progress", **({"arguments": ""} if isinstance(part, ToolCall) else {"content": []})}


def message_part(answer: Say, text: str) -> Body:
    """Return a part of a message."""
    if answer.finish == "refusal":
        return {"type": "refusal", "refusal": text}
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def summary_part(text: str) -> Body:
    """Return a part of a summary."""
    return {"type": "summary_text", "text": text}


def usage_of(counted: "Usage | Json") -> "Body | Json":
    """Return the usage as the vendor counts: cached tokens are within the input's. Invalid values stay as they are."""
    if not isinstance(counted, Usage):
        return counted
    given = counted.prompt
    return {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": counted.cache_read, "cache_write_tokens": counted.cache_write},
        "output_tokens": counted.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": given + counted.output,
    }


def as_json(value: object) -> Json:
    """Cast a value of a request, which was JSON."""
    return value if isinstance(value, dict) else None
