"""A fake of OpenAI: ``/v1/models``, ``/v1/chat/completions``, ``/v1/responses`` and ``/v1/embeddings``.

As strict as the real one about keys, parameters and tool calls without results. Certified by the vendor's own client.
"""

from collections.abc import Sequence

from openkoi_hookspecs import Json

from . import openai_chat, openai_responses
from .http import EVENTS, Seen, Served
from .openai_embeddings import embedded, not_embeddable
from .openai_rules import unfit
from .openai_wire import CREATED, Body, as_object, refusal, written
from .say import Say, Words
from .strict import complaint
from .vendor import VendorServer


class OpenAIServer(VendorServer):
    """Says its answers in turn, the last one again and again. ``key`` is the only one it accepts, when given.

    A request for embeddings takes a turn too, and is answered with vectors that are made of the texts.
    """

    def __init__(self, *answers: Say | Words, models: Sequence[str] = ("gpt-fake",), key: str = "") -> None:
        super().__init__(*answers)
        self._models = models
        self._key = key

    @property
    def url(self) -> str:
        """What to use as the base URL."""
        return f"{super().url}/v1"

    def answer(self, seen: Seen) -> Served:
        """Answer a request as the vendor does."""
        if self._key and seen.headers.get("authorization") != f"Bearer {self._key}":
            return refusal(401, "Incorrect API key provided.", "invalid_api_key")
        match seen.method, seen.path:
            case "GET", "/v1/models":
                return Served([written({"object": "list", "data": [model(name) for name in self._models]})])
            case "POST", "/v1/chat/completions":
                return self._chat(seen.json)
            case "POST", "/v1/responses":
                return self._respond(seen.json)
            case "POST", "/v1/embeddings":
                return self._embed(as_object(seen.json))
        return refusal(404, f"Unknown request URL: {seen.method} {seen.path}.", "unknown_url")

    def _chat(self, body: Json) -> Served:
        if wrong := complaint(body):
            return refusal(400, wrong, "invalid_request")
        asked, answer = as_object(body), self.turn()
        if asked.get("stream") and not answer.whole:
            return Served(openai_chat.events(answer, asked), type=EVENTS, fault=answer.fault)
        return Served([written(openai_chat.completion(answer, asked))], fault=answer.fault)

    def _respond(self, body: Json) -> Served:
        if wrong := unfit(body):
            return refusal(wrong.status, wrong.message, wrong.code, wrong.param)
        asked, answer = as_object(body), self.turn()
        if asked.get("stream") and not answer.whole:
            return Served(openai_responses.events(answer, asked), type=EVENTS, fault=answer.fault)
        return Served([written(openai_responses.response(answer, asked))], fault=answer.fault)

    def _embed(self, asked: dict[str, Json]) -> Served:
        if wrong := not_embeddable(asked):
            return refusal(400, wrong, None)
        return Served([written(embedded(asked))], fault=self.turn().fault)


def model(name: str) -> Body:
    """A model in the list."""
    return {"id": name, "object": "model", "created": CREATED, "owned_by": "fake"}
