"""What OpenAI's Responses API answers, streaming or not. Knows the events and the items; serves nothing.

The word of ``Say.finish`` ends an answer: ``length`` and ``content_filter`` leave it incomplete, ``refusal`` makes its
words a refusal, ``failed`` lets it fail.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import count

from openkoi_hookspecs import Json, Reasoning, Text, ToolCall, Usage

from .openai_rules import SEALED
from .openai_wire import CREATED, Body, as_object, written
from .say import Said, Say

CUT = {"length": "max_output_tokens", "max_output_tokens": "max_output_tokens", "content_filter": "content_filter"}
FAILED = {"code": "server_error", "message": "The server had an error while processing your request."}


def response(answer: Say, asked: Body, status: str = "") -> Body:
    """An answer as it stands at the beginning, or at the end."""
    ended = status != "in_progress"
    cut = CUT.get(answer.finish) if ended else None
    failed = ended and answer.finish == "failed"
    return {
        "id": "resp_fake",
        "object": "response",
        "created_at": CREATED,
        "status": status or ("failed" if failed else "incomplete" if cut else "completed"),
        "error": FAILED if failed else None,
        "incomplete_details": {"reason": cut} if cut else None,
        "instructions": asked.get("instructions"),
        "metadata": {},
        "model": asked.get("model"),
        "output": [item(answer, asked, place) for place in range(len(answer.parts))] if ended else [],
        "parallel_tool_calls": True,
        "temperature": asked.get("temperature", 1.0),
        "tool_choice": "auto",
        "tools": asked.get("tools", []),
        "top_p": 1.0,
        "store": asked.get("store", True),
        **({"usage": usage(answer.usage)} if ended and answer.usage is not None else {}),
    }


def events(answer: Say, asked: Body) -> Iterator[bytes]:
    """Stream an answer, each event with its number."""
    numbers = count()
    for kind, told in stream(answer, asked):
        frame = {"type": kind, **told, "sequence_number": next(numbers)}
        yield f"event: {kind}\ndata: ".encode() + written(frame) + b"\n\n"


def stream(answer: Say, asked: Body) -> Iterator[tuple[str, Body]]:
    """The events: it begins, each item comes, it ends."""
    begun = response(answer, asked, "in_progress")
    yield "response.created", {"response": begun}
    yield "response.in_progress", {"response": begun}
    for place, part in enumerate(answer.parts):
        whole = item(answer, asked, place)
        yield "response.output_item.added", {"output_index": place, "item": {**whole, **bare(part)}}
        at = {"item_id": whole["id"], "output_index": place}
        for kind, told in pieces(answer, part, whole):
            yield f"response.{kind}", {**at, **told}
        yield "response.output_item.done", {"output_index": place, "item": whole}
    ended = response(answer, asked)
    yield f"response.{ended['status']}", {"response": ended}


def pieces(answer: Say, part: Said, whole: Body) -> Iterator[tuple[str, Body]]:
    """The events of one item."""
    match part:
        case Reasoning() if whole["summary"]:
            yield from thought(answer, part.text)
        case Text():
            yield from words(answer, part.text)
        case ToolCall():
            arguments = str(whole["arguments"])
            for piece in answer.pieces(arguments):
                yield "function_call_arguments.delta", {"delta": piece}
            yield "function_call_arguments.done", {"name": part.tool, "arguments": arguments}


def thought(answer: Say, text: str) -> Iterator[tuple[str, Body]]:
    """A summary of what was thought."""
    at = {"summary_index": 0}
    yield "reasoning_summary_part.added", {**at, "part": summary("")}
    for piece in answer.pieces(text):
        yield "reasoning_summary_text.delta", {**at, "delta": piece}
    yield "reasoning_summary_text.done", {**at, "text": text}
    yield "reasoning_summary_part.done", {**at, "part": summary(text)}


def words(answer: Say, text: str) -> Iterator[tuple[str, Body]]:
    """What is said, or why nothing is."""
    at = {"content_index": 0}
    refused = answer.finish == "refusal"
    kind = "refusal" if refused else "output_text"
    extra: Body = {} if refused else {"logprobs": []}
    yield "content_part.added", {**at, "part": content(answer, "")}
    for piece in answer.pieces(text):
        yield f"{kind}.delta", {**at, "delta": piece, **extra}
    yield f"{kind}.done", {**at, "refusal" if refused else "text": text, **extra}
    yield "content_part.done", {**at, "part": content(answer, text)}


def item(answer: Say, asked: Body, place: int) -> dict[str, object]:
    """An item of the answer, whole."""
    part = answer.parts[place]
    match part:
        case Reasoning():
            shown = [summary(part.text)] if as_object(as_json(asked.get("reasoning"))).get("summary") else []
            seal = (
                {"encrypted_content": part.signature or f"sealed-{place}"}
                if SEALED in str(asked.get("include"))
                else {}
            )
            return {"id": f"rs_{place}", "type": "reasoning", "summary": shown, **seal}
        case ToolCall():
            arguments = json.dumps(dict(part.arguments), ensure_ascii=False)
            told = {"call_id": part.id, "name": part.tool, "arguments": arguments, "status": "completed"}
            return {"id": f"fc_{place}", "type": "function_call", **told}
    said = {"role": "assistant", "status": "completed", "content": [content(answer, part.text)]}
    return {"id": f"msg_{place}", "type": "message", **said}


def bare(part: Said) -> Mapping[str, object]:
    """What an item has not got yet when it begins."""
    if isinstance(part, Reasoning):
        return {"summary": []}
    return {"status": "in_progress", **({"arguments": ""} if isinstance(part, ToolCall) else {"content": []})}


def content(answer: Say, text: str) -> Body:
    """A part of a message."""
    if answer.finish == "refusal":
        return {"type": "refusal", "refusal": text}
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def summary(text: str) -> Body:
    """A part of a summary."""
    return {"type": "summary_text", "text": text}


def usage(counted: "Usage | Json") -> "Body | Json":
    """Count as the vendor does: cached tokens are among those of the input. Nonsense stays as it is."""
    if not isinstance(counted, Usage):
        return counted
    given = counted.input + counted.cache_read + counted.cache_write
    return {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": counted.cache_read, "cache_write_tokens": counted.cache_write},
        "output_tokens": counted.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": given + counted.output,
    }


def as_json(value: object) -> Json:
    """Take a value of a request for JSON, which it was."""
    return value if isinstance(value, dict) else None
