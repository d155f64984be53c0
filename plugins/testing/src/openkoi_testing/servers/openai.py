"""A fake of OpenAI's Chat Completions: ``GET /v1/models`` and ``POST /v1/chat/completions``, streaming or not.

As strict as the real one about keys and about tool calls without results. Certified by the vendor's own client.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Self

from openkoi_hookspecs import Json, Thought, ToolCall, Usage

from .http import EVENTS, HttpServer, Seen, Served
from .say import Said, Say, Words, say
from .strict import complaint

Body = Mapping[str, object]
CREATED = 1_790_000_000


class OpenAIServer:
    """Says its answers in turn, the last one again and again. ``key`` is the only one it accepts, when given."""

    def __init__(self, *answers: Say | Words, models: Sequence[str] = ("gpt-fake",), key: str = "") -> None:
        self._answers = [say(answer) for answer in answers] or [Say("Hello.")]
        self._models = models
        self._key = key
        self._asked = count()
        self._http = HttpServer(self._answer)

    def __enter__(self) -> Self:
        self._http.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.__exit__()

    @property
    def url(self) -> str:
        """What to use as the base URL."""
        return f"{self._http.url}/v1"

    @property
    def requests(self) -> Sequence[Seen]:
        """Every request so far."""
        return tuple(self._http.requests)

    @property
    def connections(self) -> int:
        """How many connections there were so far."""
        return self._http.connections

    @property
    def asked(self) -> Sequence[dict[str, Json]]:
        """The bodies of the chat requests so far."""
        bodies = (seen.json for seen in self.requests if seen.method == "POST")
        return tuple(body for body in bodies if isinstance(body, dict))

    def _answer(self, seen: Seen) -> Served:
        if self._key and seen.headers.get("authorization") != f"Bearer {self._key}":
            return refusal(401, "Incorrect API key provided.", "invalid_api_key")
        match seen.method, seen.path:
            case "GET", "/v1/models":
                return Served([written({"object": "list", "data": [model(name) for name in self._models]})])
            case "POST", "/v1/chat/completions":
                return self._chat(seen)
        return refusal(404, f"Unknown request URL: {seen.method} {seen.path}.", "unknown_url")

    def _chat(self, seen: Seen) -> Served:
        body = seen.json
        if wrong := complaint(body):
            return refusal(400, wrong, "invalid_request")
        asked = body if isinstance(body, dict) else {}
        answer = self._answers[min(next(self._asked), len(self._answers) - 1)]
        if asked.get("stream") and not answer.whole:
            return Served(list(events(answer, asked)), type=EVENTS, fault=answer.fault)
        return Served([written(completion(answer, asked))], fault=answer.fault)


def refusal(status: int, message: str, code: str) -> Served:
    """Refuse a request as the vendor does."""
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return Served([written({"error": error})], status=status)


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
    key = "reasoning_content" if isinstance(part, Thought) else "content"
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
    prompt = counted.input + counted.cache_read
    return {
        "prompt_tokens": prompt,
        "completion_tokens": counted.output,
        "total_tokens": prompt + counted.output,
        "prompt_tokens_details": {"cached_tokens": counted.cache_read},
    }


def model(name: str) -> Body:
    """A model in the list."""
    return {"id": name, "object": "model", "created": CREATED, "owned_by": "fake"}


def event(frame: Body) -> bytes:
    """One event of the stream."""
    return b"data: " + written(frame) + b"\n\n"


def written(value: Body) -> bytes:
    """Write JSON as the vendor does, characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
