"""A fake of Anthropic's Messages API: ``/v1/models``, ``/v1/messages``, streaming or not, and its ``count_tokens``.

As strict as the real one about keys, versions, roles, results, thoughts and marks. The vendor's client certifies it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

from openkoi_hookspecs import Json

from .anthropic_cache import Cache, tokens_in
from .anthropic_rules import complaint
from .anthropic_speech import events, message, usage_of_words, written
from .anthropic_thoughts import Thoughts
from .http import EVENTS, Seen, Served
from .say import COUNTED, Say, Words
from .vendor import VendorServer

STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "overloaded_error": 529,
}
TOKEN = "sk-ant-oat"
OAUTH = "oauth-2025-04-20"
PAGE = "20"


class AnthropicServer(VendorServer):
    """Says its answers in turn, the last one again and again. ``key`` is the only one it accepts, when given.

    With ``count`` an answer without a usage of its own is counted: a token for four bytes, cached as the vendor caches,
    if it is ``least`` tokens or more.
    """

    def __init__(
        self,
        *answers: Say | Words,
        models: Sequence[str] = ("claude-fake",),
        key: str = "",
        count: bool = False,
        least: int = 0,
    ) -> None:
        super().__init__(*answers)
        self._models = models
        self._key = key
        self._counts = count
        self._cache = Cache(least)
        self._thoughts = Thoughts()

    def asks(self, seen: Seen) -> bool:
        """Whether a request asks for an answer of a model."""
        return urlsplit(seen.path).path == "/v1/messages"

    def answer(self, seen: Seen) -> Served:
        """Answer a request as the vendor does."""
        if refused := self._stranger(seen.headers):
            return refused
        if "anthropic-version" not in seen.headers:
            return refusal("invalid_request_error", "anthropic-version: header is required")
        url = urlsplit(seen.path)
        match seen.method, url.path.split("/")[1:]:
            case "GET", ["v1", "models"]:
                return Served([written(listing(self._models, parse_qs(url.query)))])
            case "GET", ["v1", "models", name] if name in self._models:
                return Served([written(model(name))])
            case "POST", ["v1", "messages"]:
                return self._chat(seen)
            case "POST", ["v1", "messages", "count_tokens"]:
                return self._count(seen)
        return refusal("not_found_error", f"{seen.method} {url.path} was not found.")

    def _stranger(self, headers: Mapping[str, str]) -> Served | None:
        token = headers.get("authorization", "").removeprefix("Bearer ")
        if token.startswith(TOKEN) and OAUTH not in headers.get("anthropic-beta", ""):
            return refusal("authentication_error", "OAuth authentication is currently not supported.")
        shown = headers.get("x-api-key") or token
        if not shown:
            return refusal("authentication_error", "x-api-key header is required")
        return refusal("authentication_error", "invalid x-api-key") if self._key not in ("", shown) else None

    def _wrong(self, body: dict[str, Json], counting: bool = False) -> Served | None:
        wrong = complaint(body, counting=counting) or self._thoughts.complaint(body)
        if wrong:
            return refusal("invalid_request_error", wrong)
        if body["model"] not in self._models:
            return refusal("not_found_error", f"model: {body['model']}")
        return None

    def _count(self, seen: Seen) -> Served:
        asked = document(seen)
        return self._wrong(asked, counting=True) or Served([written({"input_tokens": tokens_in(asked)})])

    def _chat(self, seen: Seen) -> Served:
        asked = document(seen)
        if refused := self._wrong(asked):
            return refused
        answer = self._counted(self.turn(), asked)
        self._thoughts.note(answer)
        if asked.get("stream") and not answer.whole:
            return Served(events(answer, asked), type=EVENTS, fault=answer.fault)
        return Served([written(message(answer, asked))], fault=answer.fault)

    def _counted(self, answer: Say, asked: dict[str, Json]) -> Say:
        if not self._counts or answer.usage is not COUNTED:
            return answer
        return replace(answer, usage=replace(self._cache.count(asked), output=usage_of_words(answer)))


def document(seen: Seen) -> dict[str, Json]:
    """Read a body; what is none is refused for what it lacks."""
    try:
        body = seen.json
    except ValueError:
        body = None
    return body if isinstance(body, dict) else {}


def refusal(kind: str, said: str) -> Served:
    """Refuse a request as the vendor does."""
    return Served([written(error(kind, said))], status=STATUSES[kind])


def error(kind: str, said: str) -> Mapping[str, object]:
    """The body of an error, or the event of one in mid-stream."""
    return {"type": "error", "error": {"type": kind, "message": said}, "request_id": "req_fake"}


def listing(names: Sequence[str], query: Mapping[str, Sequence[str]]) -> Mapping[str, object]:
    """A page of the list of models."""
    after, limit = query.get("after_id", [""])[0], int(query.get("limit", [PAGE])[0])
    start = names.index(after) + 1 if after in names else 0
    page = names[start : start + limit]
    ends = {"first_id": page[0] if page else None, "last_id": page[-1] if page else None}
    return {"data": [model(name) for name in page], "has_more": start + limit < len(names), **ends}


def model(name: str) -> Mapping[str, object]:
    """A model in the list."""
    return {
        "type": "model",
        "id": name,
        "display_name": name.replace("-", " ").title(),
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "active",
        "max_input_tokens": 200_000,
        "max_tokens": 32_000,
        "capabilities": None,
    }
