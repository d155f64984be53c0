"""Fake Ollama's own API: ``/api/chat`` streaming or not, ``tags``, ``show``, ``embed`` and ``version``.

It is as strict as the real one about what it is sent and what its models can do. The vendor's own client certifies it.
"""

import math
import random
from collections.abc import Iterator, Mapping, Sequence

from openkoi_hookspecs import Json, Reasoning, ToolCall, Usage

from .http_server import ReceivedRequest, ServerResponse
from .json_body import Body, to_json
from .ollama_rules import OllamaModel, check_abilities, check_length, find_error, with_tag
from .say import Say, Words
from .vendor_server import VendorServer

LINES = "application/x-ndjson"
DOCUMENT = "application/json; charset=utf-8"
PLAIN = "text/plain; charset=utf-8"
CREATED = "2026-11-21T09:00:00.000000Z"
DIGEST = "a80c4f17acd55265feec403c7aef86be0c25983ab279d83f3bcd3abbcb5b8b72"


class OllamaServer(VendorServer):
    """Return the given answers in turn, then repeat the last one."""

    def __init__(
        self, *answers: Say | Words, models: Sequence[str | OllamaModel] = ("llama-fake",), key: str = ""
    ) -> None:
        super().__init__(*answers)
        pulled = [OllamaModel(model) if isinstance(model, str) else model for model in models]
        self._models = {model.full_name: model for model in pulled}
        self._key = key

    def asks(self, seen: ReceivedRequest) -> bool:
        """Return whether a request calls a model."""
        return seen.path == "/api/chat"

    def answer(self, seen: ReceivedRequest) -> ServerResponse:
        """Answer a request as the vendor does."""
        if self._key and seen.headers.get("authorization") != f"Bearer {self._key}":
            return refuse(401, "unauthorized")
        match seen.method, seen.path:
            case "GET", "/":
                return ServerResponse([b"Ollama is running"], type=PLAIN)
            case "GET", "/api/version":
                return json_response({"version": "0.33.3"})
            case "GET", "/api/tags":
                return json_response({"models": [model_entry(model) for model in self._models.values()]})
            case "POST", "/api/show" | "/api/chat" | "/api/embed":
                return self._about(seen)
        return ServerResponse([b"404 page not found"], status=404, type=PLAIN)

    def _about(self, seen: ReceivedRequest) -> ServerResponse:
        """Answer a request about one model."""
        try:
            body = seen.json
        except ValueError:
            return refuse(400, "invalid character in the body" if seen.body else "missing request body")
        if not isinstance(body, dict):
            return refuse(400, "json: cannot unmarshal the body into Go value")
        name = body.get("model")
        if not isinstance(name, str) or not name:
            return refuse(400, "model is required")
        model = self._models.get(with_tag(name))
        if model is None:
            return refuse(404, f"model '{name}' not found")
        match seen.path:
            case "/api/show":
                return json_response(describe_model(model))
            case "/api/embed":
                return embed_response(model, body)
        return self._chat(model, body)

    def _chat(self, model: OllamaModel, body: dict[str, Json]) -> ServerResponse:
        if wrong := find_error(body) or check_abilities(model, body) or check_length(model, body):
            return refuse(400, wrong)
        head = {"model": body["model"], "created_at": CREATED}
        if not body.get("messages"):
            return json_response({**head, "message": {"role": "assistant", "content": ""}, **final_fields("load")})
        answer = self.next_answer()
        if body.get("stream") is False or answer.whole:
            return ServerResponse([to_json({**head, **complete_message(answer)})], type=DOCUMENT, fault=answer.fault)
        return ServerResponse(stream_lines(answer, head), type=LINES, fault=answer.fault, keep_alive=b"\n")


def json_response(value: Body) -> ServerResponse:
    """Return one document."""
    return ServerResponse([to_json(value)], type=DOCUMENT)


def refuse(status: int, message: str) -> ServerResponse:
    """Return a refusal as the vendor sends it."""
    return ServerResponse([to_json({"error": message})], status=status, type=DOCUMENT)


def model_entry(model: OllamaModel) -> Body:
    """Return a model in the list."""
    return {
        "name": model.full_name,
        "model": model.full_name,
        "modified_at": CREATED,
        "size": 2_019_393_189,
        "digest": DIGEST,
        "details": model_details(model),
    }


def model_details(model: OllamaModel) -> Body:
    """Return what kind of a model it is."""
    family = family_of(model)
    return {
        "parent_model": "",
        "format": "gguf",
        "family": family,
        "families": [family],
        "parameter_size": "3.2B",
        "quantization_level": "Q4_K_M",
    }


def describe_model(model: OllamaModel) -> Body:
    """Return the details of a model."""
    family = family_of(model)
    return {
        "license": "None.",
        "modelfile": f"FROM {model.full_name}",
        "parameters": f"num_ctx                        {model.window}" if model.window else "",
        "template": "{{ .Prompt }}",
        "details": model_details(model),
        "model_info": {
            "general.architecture": family,
            f"{family}.vision.embedding_length": 768,
            f"{family}.context_length": model.context,
            f"{family}.embedding_length": model.dimensions,
        },
        "capabilities": list(model.abilities),
        "modified_at": CREATED,
    }


def family_of(model: OllamaModel) -> str:
    """Return the architecture, which is the prefix of the model's facts."""
    return model.name.partition(":")[0].rpartition("/")[2].partition("-")[0]


def stream_lines(answer: Say, head: Body) -> Iterator[bytes]:
    """Yield the lines of an answer: thoughts and words in pieces, each tool call complete, and why it ends."""
    for message in message_pieces(answer):
        yield to_json({**head, "message": {"role": "assistant", "content": "", **message}, "done": False}) + b"\n"
    silence = {"role": "assistant", "content": ""}
    yield (
        to_json({**head, "message": silence, **final_fields(answer.finish or "stop"), **usage_of(answer.usage)}) + b"\n"
    )


def message_pieces(answer: Say) -> Iterator[Body]:
    """Yield an answer in pieces."""
    for index, part in enumerate(answer.parts):
        if isinstance(part, ToolCall):
            yield {"tool_calls": [tool_call_entry(part, index)]}
            continue
        key = "thinking" if isinstance(part, Reasoning) else "content"
        yield from ({key: piece} for piece in answer.pieces(part.text))


def complete_message(answer: Say) -> Body:
    """Return the complete answer."""
    message: dict[str, object] = {"role": "assistant", "content": answer.text}
    if answer.thoughts:
        message["thinking"] = answer.thoughts
    if answer.calls:
        message["tool_calls"] = [tool_call_entry(call, index) for index, call in enumerate(answer.calls)]
    return {"message": message, **final_fields(answer.finish or "stop"), **usage_of(answer.usage)}


def tool_call_entry(call: ToolCall, index: int) -> Body:
    """Return a tool call; its arguments are an object."""
    return {"id": call.id, "function": {"index": index, "name": call.tool, "arguments": dict(call.arguments)}}


def final_fields(reason: str) -> Body:
    """Return the end of an answer, and how long it took."""
    return {"done": True, "done_reason": reason, "total_duration": 174_560_334, "load_duration": 101_397_084}


def usage_of(counted: "Usage | Json") -> Body:
    """Return the usage as the vendor counts: cached tokens are within the prompt's, and zeros are omitted."""
    if counted is None:
        return {}
    if not isinstance(counted, Usage):
        return {"prompt_eval_count": counted, "eval_count": counted}
    counts = {"prompt_eval_count": counted.input + counted.cache_read, "eval_count": counted.output}
    return {name: tokens for name, tokens in counts.items() if tokens}


def embed_response(model: OllamaModel, body: Mapping[str, Json]) -> ServerResponse:
    """Embed one text or several: the same text gets the same vector."""
    given = body.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return refuse(400, "invalid input type")
    if "embedding" not in model.abilities:
        return refuse(400, "this model does not support embeddings")
    wanted = body.get("dimensions")
    vectors = [embed_text(str(text), wanted if isinstance(wanted, int) else model.dimensions) for text in texts]
    tokens = sum(len(str(text).split()) for text in texts)
    times = {"total_duration": 14_143_917, "load_duration": 1_019_500, "prompt_eval_count": tokens}
    return json_response({"model": body["model"], "embeddings": vectors, **times})


def embed_text(text: str, dimensions: int) -> list[float]:
    """Return a vector in a different direction for each text."""
    source = random.Random(text)
    numbers = [source.gauss() for _ in range(dimensions)]
    return [number / math.hypot(*numbers) for number in numbers]
