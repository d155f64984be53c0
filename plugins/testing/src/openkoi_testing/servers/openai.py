"""A fake of OpenAI: ``/v1/models``, ``/v1/chat/completions``, ``/v1/responses`` and ``/v1/embeddings``.

As strict as the real one about keys, parameters and tool calls without results. Certified by the vendor's own client.
"""

from collections.abc import Sequence
from itertools import count
from typing import Self

from openkoi_hookspecs import Json

from . import openai_chat, openai_responses
from .http import EVENTS, HttpServer, Seen, Served
from .openai_embeddings import embedded, not_embeddable
from .openai_rules import unfit
from .openai_wire import CREATED, Body, as_object, refusal, written
from .say import Say, Words, say
from .strict import complaint


class OpenAIServer:
    """Says its answers in turn, the last one again and again. ``key`` is the only one it accepts, when given.

    A request for embeddings takes a turn too, and is answered with vectors that are made of the texts.
    """

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
        """The bodies of what was posted so far."""
        bodies = (seen.json for seen in self.requests if seen.method == "POST")
        return tuple(body for body in bodies if isinstance(body, dict))

    def _answer(self, seen: Seen) -> Served:
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
        asked, answer = as_object(body), self._next()
        if asked.get("stream") and not answer.whole:
            return Served(list(openai_chat.events(answer, asked)), type=EVENTS, fault=answer.fault)
        return Served([written(openai_chat.completion(answer, asked))], fault=answer.fault)

    def _respond(self, body: Json) -> Served:
        if wrong := unfit(body):
            return refusal(wrong.status, wrong.message, wrong.code, wrong.param)
        asked, answer = as_object(body), self._next()
        if asked.get("stream") and not answer.whole:
            return Served(list(openai_responses.events(answer, asked)), type=EVENTS, fault=answer.fault)
        return Served([written(openai_responses.response(answer, asked))], fault=answer.fault)

    def _embed(self, asked: dict[str, Json]) -> Served:
        if wrong := not_embeddable(asked):
            return refusal(400, wrong, None)
        return Served([written(embedded(asked))], fault=self._next().fault)

    def _next(self) -> Say:
        return self._answers[min(next(self._asked), len(self._answers) - 1)]


def model(name: str) -> Body:
    """A model in the list."""
    return {"id": name, "object": "model", "created": CREATED, "owned_by": "fake"}
