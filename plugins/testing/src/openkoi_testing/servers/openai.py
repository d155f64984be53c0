"""Fake OpenAI: ``/v1/models``, ``/v1/chat/completions``, ``/v1/responses`` and ``/v1/embeddings``.

It is as strict as the real one about keys, parameters and tool calls without results. The vendor's own client certifies
it.
"""

from collections.abc import Sequence

from openkoi_hookspecs import Json

from . import openai_completions, openai_responses_api
from .http_server import EVENTS, ReceivedRequest, ServerResponse
from .json_body import Body, to_json
from .openai_chat_rules import find_chat_error
from .openai_embeddings import embed_response, find_embedding_error
from .openai_json import CREATED, as_object, refuse
from .openai_rules import find_response_error
from .say import Say, Words
from .vendor_server import VendorServer


class OpenAIServer(VendorServer):
    """Return the given answers in turn, then repeat the last one.

    ``key`` is the only one it accepts, when given. A request for embeddings takes a turn too, and is answered with
    vectors that are made of the texts.
    """

    def __init__(self, *answers: Say | Words, models: Sequence[str] = ("gpt-fake",), key: str = "") -> None:
        super().__init__(*answers)
        self._models = models
        self._key = key

    @property
    def url(self) -> str:
        """What to use as the base URL."""
        return f"{super().url}/v1"

    def answer(self, seen: ReceivedRequest) -> ServerResponse:
        """Answer a request as the vendor does."""
        if self._key and seen.headers.get("authorization") != f"Bearer {self._key}":
            return refuse(401, "Incorrect API key provided.", "invalid_api_key")
        match seen.method, seen.path:
            case "GET", "/v1/models":
                return ServerResponse(
                    [to_json({"object": "list", "data": [model_entry(name) for name in self._models]})]
                )
            case "POST", "/v1/chat/completions":
                return self._chat(seen.json)
            case "POST", "/v1/responses":
                return self._respond(seen.json)
            case "POST", "/v1/embeddings":
                return self._embed(as_object(seen.json))
        return refuse(404, f"Unknown request URL: {seen.method} {seen.path}.", "unknown_url")

    def _chat(self, body: Json) -> ServerResponse:
        if wrong := find_chat_error(body):
            return refuse(400, wrong, "invalid_request")
        asked, answer = as_object(body), self.next_answer()
        if asked.get("stream") and not answer.whole:
            return ServerResponse(openai_completions.stream_events(answer, asked), type=EVENTS, fault=answer.fault)
        return ServerResponse([to_json(openai_completions.complete_response(answer, asked))], fault=answer.fault)

    def _respond(self, body: Json) -> ServerResponse:
        if wrong := find_response_error(body):
            return refuse(wrong.status, wrong.message, wrong.code, wrong.param)
        asked, answer = as_object(body), self.next_answer()
        if asked.get("stream") and not answer.whole:
            return ServerResponse(openai_responses_api.stream_events(answer, asked), type=EVENTS, fault=answer.fault)
        return ServerResponse([to_json(openai_responses_api.response_object(answer, asked))], fault=answer.fault)

    def _embed(self, asked: dict[str, Json]) -> ServerResponse:
        if wrong := find_embedding_error(asked):
            return refuse(400, wrong, None)
        return ServerResponse([to_json(embed_response(asked))], fault=self.next_answer().fault)


def model_entry(name: str) -> Body:
    """Return a model in the list."""
    return {"id": name, "object": "model", "created": CREATED, "owned_by": "fake"}
