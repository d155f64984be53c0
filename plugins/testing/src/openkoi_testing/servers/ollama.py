"""A fake of Ollama's own API: ``/api/chat`` streaming or not, ``tags``, ``show``, ``embed`` and ``version``.

As strict as the real one about what it is sent and what its models can do. Certified by the vendor's own client.
"""

import json
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from openkoi_hookspecs import Json, Reasoning, ToolCall, Usage

from .http import Seen, Served
from .ollama_strict import Pulled, complaint, incapable, tagged, too_long
from .say import Say, Words
from .vendor import VendorServer

Body: TypeAlias = Mapping[str, object]
LINES = "application/x-ndjson"
DOCUMENT = "application/json; charset=utf-8"
PLAIN = "text/plain; charset=utf-8"
CREATED = "2026-11-21T09:00:00.000000Z"
DIGEST = "a80c4f17acd55265feec403c7aef86be0c25983ab279d83f3bcd3abbcb5b8b72"


class OllamaServer(VendorServer):
    """Says its answers in turn, the last one again and again. ``key`` is the only one it accepts, when given."""

    def __init__(self, *answers: Say | Words, models: Sequence[str | Pulled] = ("llama-fake",), key: str = "") -> None:
        super().__init__(*answers)
        pulled = [Pulled(model) if isinstance(model, str) else model for model in models]
        self._models = {model.full: model for model in pulled}
        self._key = key

    def asks(self, seen: Seen) -> bool:
        """Whether a request asks for an answer of a model."""
        return seen.path == "/api/chat"

    def answer(self, seen: Seen) -> Served:
        """Answer a request as the vendor does."""
        if self._key and seen.headers.get("authorization") != f"Bearer {self._key}":
            return refusal(401, "unauthorized")
        match seen.method, seen.path:
            case "GET", "/":
                return Served([b"Ollama is running"], type=PLAIN)
            case "GET", "/api/version":
                return document({"version": "0.33.3"})
            case "GET", "/api/tags":
                return document({"models": [listed(model) for model in self._models.values()]})
            case "POST", "/api/show" | "/api/chat" | "/api/embed":
                return self._about(seen)
        return Served([b"404 page not found"], status=404, type=PLAIN)

    def _about(self, seen: Seen) -> Served:
        """Answer what is about one model."""
        try:
            body = seen.json
        except ValueError:
            return refusal(400, "invalid character in the body" if seen.body else "missing request body")
        if not isinstance(body, dict):
            return refusal(400, "json: cannot unmarshal the body into Go value")
        name = body.get("model")
        if not isinstance(name, str) or not name:
            return refusal(400, "model is required")
        model = self._models.get(tagged(name))
        if model is None:
            return refusal(404, f"model '{name}' not found")
        match seen.path:
            case "/api/show":
                return document(shown(model))
            case "/api/embed":
                return embedded(model, body)
        return self._chat(model, body)

    def _chat(self, model: Pulled, body: dict[str, Json]) -> Served:
        if wrong := complaint(body) or incapable(model, body) or too_long(model, body):
            return refusal(400, wrong)
        head = {"model": body["model"], "created_at": CREATED}
        if not body.get("messages"):
            return document({**head, "message": {"role": "assistant", "content": ""}, **ended("load")})
        answer = self.turn()
        if body.get("stream") is False or answer.whole:
            return Served([written({**head, **whole(answer)})], type=DOCUMENT, fault=answer.fault)
        return Served(events(answer, head), type=LINES, fault=answer.fault, keep_alive=b"\n")


def document(value: Body) -> Served:
    """Answer with one document."""
    return Served([written(value)], type=DOCUMENT)


def refusal(status: int, message: str) -> Served:
    """Refuse a request as the vendor does."""
    return Served([written({"error": message})], status=status, type=DOCUMENT)


def listed(model: Pulled) -> Body:
    """A model in the list."""
    return {
        "name": model.full,
        "model": model.full,
        "modified_at": CREATED,
        "size": 2_019_393_189,
        "digest": DIGEST,
        "details": details(model),
    }


def details(model: Pulled) -> Body:
    """What kind of a model it is."""
    family = family_of(model)
    return {
        "parent_model": "",
        "format": "gguf",
        "family": family,
        "families": [family],
        "parameter_size": "3.2B",
        "quantization_level": "Q4_K_M",
    }


def shown(model: Pulled) -> Body:
    """All that is known of a model."""
    family = family_of(model)
    return {
        "license": "None.",
        "modelfile": f"FROM {model.full}",
        "parameters": f"num_ctx                        {model.window}" if model.window else "",
        "template": "{{ .Prompt }}",
        "details": details(model),
        "model_info": {
            "general.architecture": family,
            f"{family}.vision.embedding_length": 768,
            f"{family}.context_length": model.context,
            f"{family}.embedding_length": model.dimensions,
        },
        "capabilities": list(model.abilities),
        "modified_at": CREATED,
    }


def family_of(model: Pulled) -> str:
    """The architecture, after which its facts are named."""
    return model.name.partition(":")[0].rpartition("/")[2].partition("-")[0]


def events(answer: Say, head: Body) -> Iterator[bytes]:
    """Stream an answer: what is thought and said piece by piece, each tool call whole, and why it ends."""
    for message in messages(answer):
        yield written({**head, "message": {"role": "assistant", "content": "", **message}, "done": False}) + b"\n"
    silence = {"role": "assistant", "content": ""}
    yield written({**head, "message": silence, **ended(answer.finish or "stop"), **usage(answer.usage)}) + b"\n"


def messages(answer: Say) -> Iterator[Body]:
    """Say an answer piece by piece."""
    for index, part in enumerate(answer.parts):
        if isinstance(part, ToolCall):
            yield {"tool_calls": [tool_call(part, index)]}
            continue
        key = "thinking" if isinstance(part, Reasoning) else "content"
        yield from ({key: piece} for piece in answer.pieces(part.text))


def whole(answer: Say) -> Body:
    """Say an answer all at once."""
    message: dict[str, object] = {"role": "assistant", "content": answer.text}
    if answer.thoughts:
        message["thinking"] = answer.thoughts
    if answer.calls:
        message["tool_calls"] = [tool_call(call, index) for index, call in enumerate(answer.calls)]
    return {"message": message, **ended(answer.finish or "stop"), **usage(answer.usage)}


def tool_call(call: ToolCall, index: int) -> Body:
    """A tool call; its arguments are an object."""
    return {"id": call.id, "function": {"index": index, "name": call.tool, "arguments": dict(call.arguments)}}


def ended(reason: str) -> Body:
    """The end of an answer, and how long it took."""
    return {"done": True, "done_reason": reason, "total_duration": 174_560_334, "load_duration": 101_397_084}


def usage(counted: "Usage | Json") -> Body:
    """Count as the vendor does: the cached tokens are among those of the prompt, and zeros are left out."""
    if counted is None:
        return {}
    if not isinstance(counted, Usage):
        return {"prompt_eval_count": counted, "eval_count": counted}
    counts = {"prompt_eval_count": counted.input + counted.cache_read, "eval_count": counted.output}
    return {name: tokens for name, tokens in counts.items() if tokens}


def embedded(model: Pulled, body: Mapping[str, Json]) -> Served:
    """Embed one text or several: the same text gets the same vector."""
    given = body.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return refusal(400, "invalid input type")
    if "embedding" not in model.abilities:
        return refusal(400, "this model does not support embeddings")
    wanted = body.get("dimensions")
    vectors = [vector(str(text), wanted if isinstance(wanted, int) else model.dimensions) for text in texts]
    tokens = sum(len(str(text).split()) for text in texts)
    times = {"total_duration": 14_143_917, "load_duration": 1_019_500, "prompt_eval_count": tokens}
    return document({"model": body["model"], "embeddings": vectors, **times})


def vector(text: str, dimensions: int) -> list[float]:
    """A direction of its own for each text."""
    source = random.Random(text)
    numbers = [source.gauss() for _ in range(dimensions)]
    return [number / math.hypot(*numbers) for number in numbers]


def written(value: Body) -> bytes:
    """Write JSON as the vendor does, characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
