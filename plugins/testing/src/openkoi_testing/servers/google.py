"""A fake of the Gemini API, in version ``v1`` and ``v1beta``: models, answers whole or streamed, counting, embedding.

As strict as the real one about keys, roles, tool calls and signatures. Certified by the vendor's own client.
"""

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise
from urllib.parse import parse_qs, unquote, urlsplit

from openkoi_hookspecs import Json, Reasoning, Text, ToolCall, Usage

from .google_strict import Signed, complaint, embedding_complaint
from .http import EVENTS, Seen, Served
from .say import Said, Say, Words
from .vendor import VendorServer

Body = Mapping[str, object]
ROUTE = re.compile(r"/v1(?:beta)?/models(?:/([^:]+)(?::(\w+))?)?")
EMBEDDER = "gemini-embedding-001"
DIMENSIONS = 3072
INVALID_KEY = "API key not valid. Please pass a valid API key."
NO_KEY = "Method doesn't allow unregistered callers (callers without established identity)."
JSON = "application/json; charset=UTF-8"


class GoogleServer(VendorServer):
    """Says its answers in turn, the last one again and again. ``key`` is the only one it accepts, when given.

    The seal of a thought becomes the signature of the part after it, which has to come back with it.
    """

    def __init__(self, *answers: Say | Words, models: Sequence[str] = ("gemini-fake",), key: str = "") -> None:
        super().__init__(*answers)
        self._models = models
        self._key = key
        self._signed: list[Signed] = []

    def asks(self, seen: Seen) -> bool:
        """Whether a request asks for an answer of a model."""
        return "enerateContent" in seen.path

    def answer(self, seen: Seen) -> Served:
        """Answer a request as the vendor does."""
        url = urlsplit(seen.path)
        query = parse_qs(url.query)
        if refused := self._locked(seen, query):
            return refused
        route = ROUTE.fullmatch(unquote(url.path))
        if route is None:
            return refusal(404, "NOT_FOUND", f"Requested entity was not found: {url.path}")
        name, verb = route.groups()
        if name is None:
            return self._listing(query)
        if name not in (*self._models, EMBEDDER):
            return refusal(404, "NOT_FOUND", f"models/{name} is not found for API version v1beta, or is not supported.")
        if seen.method == "GET":
            return document(model(name))
        return self._do(name, verb or "", seen)

    def _do(self, name: str, verb: str, seen: Seen) -> Served:
        body = read(seen.body)
        match verb:
            case "generateContent" | "streamGenerateContent":
                return self._chat(name, body, Manner(verb, seen.path))
            case "countTokens":
                return counting(body)
            case "batchEmbedContents":
                return embeddings(name, body)
        return refusal(404, "NOT_FOUND", f"There is no method {verb} of models.")

    def _locked(self, seen: Seen, query: Mapping[str, list[str]]) -> Served | None:
        given = seen.headers.get("x-goog-api-key") or "".join(query.get("key", []))
        if not self._key or given == self._key:
            return None
        if not given:
            return refusal(403, "PERMISSION_DENIED", NO_KEY)
        info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
        return refusal(400, "INVALID_ARGUMENT", INVALID_KEY, {**info, "domain": "googleapis.com"})

    def _listing(self, query: Mapping[str, list[str]]) -> Served:
        size, start = int(query.get("pageSize", ["50"])[0]), int(query.get("pageToken", ["0"])[0])
        names = [*self._models, EMBEDDER]
        more = {"nextPageToken": str(start + size)} if start + size < len(names) else {}
        return document({"models": [model(name) for name in names[start : start + size]], **more})

    def _chat(self, name: str, body: Json, manner: "Manner") -> Served:
        if wrong := complaint(body, self._signed):
            return refusal(400, "INVALID_ARGUMENT", wrong)
        answer = self.turn()
        self._signed += (Signed(call, seal) for seal, call in signatures(answer))
        if manner.whole or answer.whole:
            return Served([written(completion(name, answer))], type=JSON, fault=answer.fault)
        if manner.events:
            return Served(events(answer, name), type=EVENTS, fault=answer.fault)
        return Served([written([*frames(name, answer)])], type=JSON, fault=answer.fault)


class Manner:
    """How an answer is to come: whole, as events, or as one list of what would have been events."""

    def __init__(self, verb: str, path: str) -> None:
        self.whole = verb == "generateContent"
        self.events = "alt=sse" in urlsplit(path).query


def refusal(status: int, word: str, message: str, *details: Body) -> Served:
    """Refuse a request as the vendor does."""
    error: dict[str, object] = {"code": status, "message": message, "status": word}
    return Served([written({"error": {**error, "details": details} if details else error})], status=status, type=JSON)


def document(body: Body) -> Served:
    """Answer with one document."""
    return Served([written(body)], type=JSON)


def events(answer: Say, name: str = "gemini-fake") -> Iterator[bytes]:
    """Stream an answer."""
    yield from (b"data: " + written(frame) + b"\r\n\r\n" for frame in frames(name, answer))


def frames(name: str, answer: Say) -> Iterator[Body]:
    """Say an answer piece by piece; why it ends comes with the last."""
    counted = {"usageMetadata": usage(answer.usage, bool(answer.thoughts))} if answer.usage is not None else {}
    tail = {**counted, "modelVersion": name, "responseId": "fake-response"}
    for part in parts(answer):
        yield {"candidates": [{"content": {"parts": [part], "role": "model"}, "index": 0}], **tail}
    end = {"content": {"parts": [{"text": ""}], "role": "model"}, "finishReason": finish(answer), "index": 0}
    yield {"candidates": [end], **tail}


def completion(name: str, answer: Say) -> Body:
    """Say an answer all at once."""
    content = {"parts": list(parts(answer, in_pieces=False)), "role": "model"}
    counted = {"usageMetadata": usage(answer.usage, bool(answer.thoughts))} if answer.usage is not None else {}
    candidate = {"content": content, "finishReason": finish(answer), "index": 0}
    return {"candidates": [candidate], **counted, "modelVersion": name, "responseId": "fake-response"}


def parts(answer: Say, *, in_pieces: bool = True) -> Iterator[Body]:
    """Say each part; a thought's seal is the signature of the part after it, or of one without words at the end."""
    seal = ""
    for part in answer.parts:
        for piece, following in pairwise(chain(pieces_of(answer, part, in_pieces), [None])):
            if piece is not None:
                yield piece if following else {**piece, **signature(seal)}
        seal = part.signature if isinstance(part, Reasoning) else ""
    if seal:
        yield {"text": "", **signature(seal)}


def pieces_of(answer: Say, part: Said, in_pieces: bool) -> Iterator[Body]:
    """Say one part in the pieces that it streams in; a tool call always comes whole."""
    if isinstance(part, ToolCall):
        named = {"name": part.tool, "args": dict(part.arguments)}
        yield {"functionCall": {"id": part.id, **named} if part.id else named}
        return
    kind = {"thought": True} if isinstance(part, Reasoning) else {}
    texts = answer.pieces(part.text) if in_pieces else [part.text]
    yield from ({"text": text, **kind} for text in texts if text)


def signatures(answer: Say) -> Iterator[tuple[str, ToolCall]]:
    """List the tool calls with their signatures."""
    before: Said = Text("")
    for part in answer.parts:
        if isinstance(part, ToolCall):
            yield (before.signature if isinstance(before, Reasoning) else ""), part
        before = part


def signature(seal: str) -> Body:
    """Sign a part, if there is something to sign it with."""
    return {"thoughtSignature": seal} if seal else {}


def finish(answer: Say) -> str:
    """Why an answer ends, in the vendor's word."""
    return answer.finish or "STOP"


def usage(counted: "Usage | Json", thought: bool) -> "Body | Json":
    """Count as the vendor does: cached tokens among the prompt's, thoughts beside the answer's. Nonsense stays."""
    if not isinstance(counted, Usage):
        return counted
    prompt = counted.input + counted.cache_read
    thinking = counted.output // 2 if thought else 0
    cached = {"cachedContentTokenCount": counted.cache_read} if counted.cache_read else {}
    thoughts = {"thoughtsTokenCount": thinking} if thinking else {}
    total = prompt + counted.output
    answered = {"candidatesTokenCount": counted.output - thinking}
    return {"promptTokenCount": prompt, **answered, "totalTokenCount": total, **cached, **thoughts}


def model(name: str) -> Body:
    """A model in the list."""
    talks = ["generateContent", "countTokens"] if name != EMBEDDER else ["embedContent"]
    limits = {"inputTokenLimit": 1_048_576, "outputTokenLimit": 65_536}
    return {
        "name": f"models/{name}",
        "version": "001",
        "displayName": name,
        **limits,
        "supportedGenerationMethods": talks,
    }


def counting(body: Json) -> Served:
    """Count the tokens of a request: four characters each."""
    asked = body.get("generateContentRequest") if isinstance(body, dict) else None
    if isinstance(asked, dict) and not asked.get("model"):
        return refusal(
            400, "INVALID_ARGUMENT", "* CountTokensRequest.generate_content_request.model: model is not specified"
        )
    return document({"totalTokens": max(1, len(json.dumps(body)) // 4)})


def embeddings(name: str, body: Json) -> Served:
    """Embed each text; the vectors are of no particular length, as the vendor's smaller ones are."""
    if wrong := embedding_complaint(name, body):
        return refusal(400, "INVALID_ARGUMENT", wrong)
    requests = body["requests"] if isinstance(body, dict) else []
    asked = [one for one in requests if isinstance(one, dict)] if isinstance(requests, list) else []
    tokens = sum(len(str(one.get("content"))) // 4 for one in asked)
    return document({"embeddings": [vector(one) for one in asked], "usageMetadata": {"promptTokenCount": tokens}})


def vector(asked: dict[str, Json]) -> Body:
    """Make the vector of a text: always the same for the same text."""
    wanted = asked.get("outputDimensionality")
    numbers = random.Random(json.dumps(asked.get("content")))
    return {"values": [numbers.uniform(-0.2, 0.2) for _ in range(wanted if isinstance(wanted, int) else DIMENSIONS)]}


def read(body: bytes) -> Json:
    """Read a request's body; None when it is not JSON."""
    try:
        found: Json = json.loads(body)
    except ValueError:
        return None
    return found


def written(value: object) -> bytes:
    """Write JSON, characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
