"""Fake the Gemini API, versions ``v1`` and ``v1beta``: models, answers complete or streamed, counting, embedding.

It is as strict as the real one about keys, roles, tool calls and signatures. The vendor's own client certifies it.
"""

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise
from urllib.parse import parse_qs, unquote, urlsplit

from openkoi_hookspecs import Json, Reasoning, Text, ToolCall, Usage

from .google_rules import SignedCall, find_embedding_error, find_error
from .http_server import EVENTS, ReceivedRequest, ServerResponse
from .json_body import Body, to_json
from .say import AnswerPart, Say, Words
from .vendor_server import VendorServer

ROUTE = re.compile(r"/v1(?:beta)?/models(?:/([^:]+)(?::(\w+))?)?")
EMBEDDER = "gemini-embedding-001"
DIMENSIONS = 3072
INVALID_KEY = "API key not valid. Please pass a valid API key."
NO_KEY = "Method doesn't allow unregistered callers (callers without established identity)."
JSON = "application/json; charset=UTF-8"


class GoogleServer(VendorServer):
    """Return the given answers in turn, then repeat the last one.

    ``key`` is the only one it accepts, when given. The seal of a thought becomes the signature of the part after it,
    which must come back with it.
    """

    def __init__(self, *answers: Say | Words, models: Sequence[str] = ("gemini-fake",), key: str = "") -> None:
        super().__init__(*answers)
        self._models = models
        self._key = key
        self._signed: list[SignedCall] = []

    def asks(self, seen: ReceivedRequest) -> bool:
        """Return whether a request calls a model."""
        return "enerateContent" in seen.path

    def answer(self, seen: ReceivedRequest) -> ServerResponse:
        """Answer a request as the vendor does."""
        url = urlsplit(seen.path)
        query = parse_qs(url.query)
        if refused := self._check_key(seen, query):
            return refused
        route = ROUTE.fullmatch(unquote(url.path))
        if route is None:
            return refuse(404, "NOT_FOUND", f"Requested entity was not found: {url.path}")
        name, verb = route.groups()
        if name is None:
            return self._listing(query)
        if name not in (*self._models, EMBEDDER):
            return refuse(404, "NOT_FOUND", f"models/{name} is not found for API version v1beta, or is not supported.")
        if seen.method == "GET":
            return json_response(model_entry(name))
        return self._do(name, verb or "", seen)

    def _do(self, name: str, verb: str, seen: ReceivedRequest) -> ServerResponse:
        body = parse_body(seen.body)
        match verb:
            case "generateContent" | "streamGenerateContent":
                return self._chat(name, body, ResponseFormat(verb, seen.path))
            case "countTokens":
                return count_response(body)
            case "batchEmbedContents":
                return embed_response(name, body)
        return refuse(404, "NOT_FOUND", f"There is no method {verb} of models.")

    def _check_key(self, seen: ReceivedRequest, query: Mapping[str, list[str]]) -> ServerResponse | None:
        given = seen.headers.get("x-goog-api-key") or "".join(query.get("key", []))
        if not self._key or given == self._key:
            return None
        if not given:
            return refuse(403, "PERMISSION_DENIED", NO_KEY)
        info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
        return refuse(400, "INVALID_ARGUMENT", INVALID_KEY, {**info, "domain": "googleapis.com"})

    def _listing(self, query: Mapping[str, list[str]]) -> ServerResponse:
        size, start = int(query.get("pageSize", ["50"])[0]), int(query.get("pageToken", ["0"])[0])
        names = [*self._models, EMBEDDER]
        more = {"nextPageToken": str(start + size)} if start + size < len(names) else {}
        return json_response({"models": [model_entry(name) for name in names[start : start + size]], **more})

    def _chat(self, name: str, body: Json, manner: "ResponseFormat") -> ServerResponse:
        if wrong := find_error(body, self._signed):
            return refuse(400, "INVALID_ARGUMENT", wrong)
        answer = self.next_answer()
        self._signed += (SignedCall(call, seal) for seal, call in call_signatures(answer))
        if manner.whole or answer.whole:
            return ServerResponse([to_json(complete_response(name, answer))], type=JSON, fault=answer.fault)
        if manner.events:
            return ServerResponse(stream_events(answer, name), type=EVENTS, fault=answer.fault)
        return ServerResponse([to_json([*stream_frames(name, answer)])], type=JSON, fault=answer.fault)


class ResponseFormat:
    """How an answer is sent: complete, as events, or as one list of events."""

    def __init__(self, verb: str, path: str) -> None:
        self.whole = verb == "generateContent"
        self.events = "alt=sse" in urlsplit(path).query


def refuse(status: int, word: str, message: str, *details: Body) -> ServerResponse:
    """Return a refusal as the vendor sends it."""
    error: dict[str, object] = {"code": status, "message": message, "status": word}
    return ServerResponse(
        [to_json({"error": {**error, "details": details} if details else error})], status=status, type=JSON
    )


def json_response(body: Body) -> ServerResponse:
    """Return one document."""
    return ServerResponse([to_json(body)], type=JSON)


def stream_events(answer: Say, name: str = "gemini-fake") -> Iterator[bytes]:
    """Yield the events of an answer."""
    yield from (b"data: " + to_json(frame) + b"\r\n\r\n" for frame in stream_frames(name, answer))


def stream_frames(name: str, answer: Say) -> Iterator[Body]:
    """Yield an answer in pieces; why it ends comes with the last."""
    counted = {"usageMetadata": usage_of(answer.usage, bool(answer.thoughts))} if answer.usage is not None else {}
    tail = {**counted, "modelVersion": name, "responseId": "fake-response"}
    for part in response_parts(answer):
        yield {"candidates": [{"content": {"parts": [part], "role": "model"}, "index": 0}], **tail}
    end = {"content": {"parts": [{"text": ""}], "role": "model"}, "finishReason": finish_reason(answer), "index": 0}
    yield {"candidates": [end], **tail}


def complete_response(name: str, answer: Say) -> Body:
    """Return the complete answer."""
    content = {"parts": list(response_parts(answer, in_pieces=False)), "role": "model"}
    counted = {"usageMetadata": usage_of(answer.usage, bool(answer.thoughts))} if answer.usage is not None else {}
    candidate = {"content": content, "finishReason": finish_reason(answer), "index": 0}
    return {"candidates": [candidate], **counted, "modelVersion": name, "responseId": "fake-response"}


def response_parts(answer: Say, *, in_pieces: bool = True) -> Iterator[Body]:
    """Yield each part; a thought's signature is sent with the next part, or with an empty one at the end."""
    seal = ""
    for part in answer.parts:
        for piece, following in pairwise(chain(part_pieces(answer, part, in_pieces), [None])):
            if piece is not None:
                yield piece if following else {**piece, **signature_field(seal)}
        seal = part.signature if isinstance(part, Reasoning) else ""
    if seal:
        yield {"text": "", **signature_field(seal)}


def part_pieces(answer: Say, part: AnswerPart, in_pieces: bool) -> Iterator[Body]:
    """Yield one part in the pieces that it streams in; a tool call always comes complete."""
    if isinstance(part, ToolCall):
        named = {"name": part.tool, "args": dict(part.arguments)}
        yield {"functionCall": {"id": part.id, **named} if part.id else named}
        return
    kind = {"thought": True} if isinstance(part, Reasoning) else {}
    texts = answer.pieces(part.text) if in_pieces else [part.text]
    yield from ({"text": text, **kind} for text in texts if text)


def call_signatures(answer: Say) -> Iterator[tuple[str, ToolCall]]:
    """Yield the tool calls with their signatures."""
    before: AnswerPart = Text("")
    for part in answer.parts:
        if isinstance(part, ToolCall):
            yield (before.signature if isinstance(before, Reasoning) else ""), part
        before = part


def signature_field(seal: str) -> Body:
    """Return the signature of a part, if there is something to sign it with."""
    return {"thoughtSignature": seal} if seal else {}


def finish_reason(answer: Say) -> str:
    """Return why an answer ends, in the vendor's term."""
    return answer.finish or "STOP"


def usage_of(counted: "Usage | Json", thought: bool) -> "Body | Json":
    """Return the usage as the vendor counts: cached tokens are part of the prompt's, thoughts are counted separately.

    Invalid values stay.
    """
    if not isinstance(counted, Usage):
        return counted
    prompt = counted.input + counted.cache_read
    thinking = counted.output // 2 if thought else 0
    cached = {"cachedContentTokenCount": counted.cache_read} if counted.cache_read else {}
    thoughts = {"thoughtsTokenCount": thinking} if thinking else {}
    total = prompt + counted.output
    answered = {"candidatesTokenCount": counted.output - thinking}
    return {"promptTokenCount": prompt, **answered, "totalTokenCount": total, **cached, **thoughts}


def model_entry(name: str) -> Body:
    """Return a model in the list."""
    talks = ["generateContent", "countTokens"] if name != EMBEDDER else ["embedContent"]
    limits = {"inputTokenLimit": 1_048_576, "outputTokenLimit": 65_536}
    return {
        "name": f"models/{name}",
        "version": "001",
        "displayName": name,
        **limits,
        "supportedGenerationMethods": talks,
    }


def count_response(body: Json) -> ServerResponse:
    """Count the tokens of a request: four characters each."""
    asked = body.get("generateContentRequest") if isinstance(body, dict) else None
    if isinstance(asked, dict) and not asked.get("model"):
        return refuse(
            400, "INVALID_ARGUMENT", "* CountTokensRequest.generate_content_request.model: model is not specified"
        )
    return json_response({"totalTokens": max(1, len(json.dumps(body)) // 4)})


def embed_response(name: str, body: Json) -> ServerResponse:
    """Embed each text; the vectors are of no particular length, as the vendor's smaller ones are."""
    if wrong := find_embedding_error(name, body):
        return refuse(400, "INVALID_ARGUMENT", wrong)
    requests = body["requests"] if isinstance(body, dict) else []
    asked = [one for one in requests if isinstance(one, dict)] if isinstance(requests, list) else []
    tokens = sum(len(str(one.get("content"))) // 4 for one in asked)
    return json_response(
        {"embeddings": [embed_text(one) for one in asked], "usageMetadata": {"promptTokenCount": tokens}}
    )


def embed_text(asked: dict[str, Json]) -> Body:
    """Return the vector of a text: always the same for the same text."""
    wanted = asked.get("outputDimensionality")
    numbers = random.Random(json.dumps(asked.get("content")))
    return {"values": [numbers.uniform(-0.2, 0.2) for _ in range(wanted if isinstance(wanted, int) else DIMENSIONS)]}


def parse_body(body: bytes) -> Json:
    """Parse a request's body; None when it is not JSON."""
    try:
        found: Json = json.loads(body)
    except ValueError:
        return None
    return found
