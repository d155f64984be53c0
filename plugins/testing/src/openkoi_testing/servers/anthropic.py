"""Fake Anthropic's Messages API: ``/v1/models``, ``/v1/messages``, streaming or not, and its ``count_tokens``.

It is as strict as the real one about keys, versions, roles, results, thoughts and marks. The vendor's client certifies
it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

from openkoi_hookspecs import Json

from .anthropic_responses import complete_message, estimate_usage, stream_events
from .anthropic_rules import find_error
from .anthropic_thoughts import ThoughtChecker
from .http_server import EVENTS, ReceivedRequest, ServerResponse
from .json_body import to_json
from .prompt_cache import PromptCache, count_tokens
from .say import DEFAULT_USAGE, Say, Words
from .vendor_server import VendorServer

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
    """Return the given answers in turn, then repeat the last one.

    ``key`` is the only one it accepts, when given. With ``count`` an answer without a usage of its own is counted: a
    token for four bytes, cached as the vendor caches, if it is ``least`` tokens or more.
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
        self._cache = PromptCache(least)
        self._thoughts = ThoughtChecker()

    def asks(self, seen: ReceivedRequest) -> bool:
        """Return whether a request calls a model."""
        return urlsplit(seen.path).path == "/v1/messages"

    def answer(self, seen: ReceivedRequest) -> ServerResponse:
        """Answer a request as the vendor does."""
        if refused := self._check_key(seen.headers):
            return refused
        if "anthropic-version" not in seen.headers:
            return refuse("invalid_request_error", "anthropic-version: header is required")
        url = urlsplit(seen.path)
        match seen.method, url.path.split("/")[1:]:
            case "GET", ["v1", "models"]:
                return ServerResponse([to_json(list_models(self._models, parse_qs(url.query)))])
            case "GET", ["v1", "models", name] if name in self._models:
                return ServerResponse([to_json(model_entry(name))])
            case "POST", ["v1", "messages"]:
                return self._chat(seen)
            case "POST", ["v1", "messages", "count_tokens"]:
                return self._count(seen)
        return refuse("not_found_error", f"{seen.method} {url.path} was not found.")

    def _check_key(self, headers: Mapping[str, str]) -> ServerResponse | None:
        token = headers.get("authorization", "").removeprefix("Bearer ")
        if token.startswith(TOKEN) and OAUTH not in headers.get("anthropic-beta", ""):
            return refuse("authentication_error", "OAuth authentication is currently not supported.")
        key = headers.get("x-api-key") or token
        if not key:
            return refuse("authentication_error", "x-api-key header is required")
        return refuse("authentication_error", "invalid x-api-key") if self._key not in ("", key) else None

    def _check_body(self, body: dict[str, Json], counting: bool = False) -> ServerResponse | None:
        wrong = find_error(body, counting=counting) or self._thoughts.find_error(body)
        if wrong:
            return refuse("invalid_request_error", wrong)
        if body["model"] not in self._models:
            return refuse("not_found_error", f"model: {body['model']}")
        return None

    def _count(self, seen: ReceivedRequest) -> ServerResponse:
        body = parse_body(seen)
        return self._check_body(body, counting=True) or ServerResponse([to_json({"input_tokens": count_tokens(body)})])

    def _chat(self, seen: ReceivedRequest) -> ServerResponse:
        body = parse_body(seen)
        if refused := self._check_body(body):
            return refused
        answer = self._with_usage(self.next_answer(), body)
        self._thoughts.add_answer(answer)
        if body.get("stream") and not answer.whole:
            return ServerResponse(stream_events(answer, body), type=EVENTS, fault=answer.fault)
        return ServerResponse([to_json(complete_message(answer, body))], fault=answer.fault)

    def _with_usage(self, answer: Say, asked: dict[str, Json]) -> Say:
        if not self._counts or answer.usage is not DEFAULT_USAGE:
            return answer
        return replace(answer, usage=replace(self._cache.count_usage(asked), output=estimate_usage(answer)))


def parse_body(seen: ReceivedRequest) -> dict[str, Json]:
    """Parse a body; one that is invalid is refused for what it lacks."""
    try:
        body = seen.json
    except ValueError:
        body = None
    return body if isinstance(body, dict) else {}


def refuse(kind: str, message: str) -> ServerResponse:
    """Return a refusal as the vendor sends it."""
    return ServerResponse([to_json(error_body(kind, message))], status=STATUSES[kind])


def error_body(kind: str, message: str) -> Mapping[str, object]:
    """Return the body of an error, or the event of one in mid-stream."""
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_fake"}


def list_models(names: Sequence[str], query: Mapping[str, Sequence[str]]) -> Mapping[str, object]:
    """Return a page of the list of models."""
    after, limit = query.get("after_id", [""])[0], int(query.get("limit", [PAGE])[0])
    start = names.index(after) + 1 if after in names else 0
    page = names[start : start + limit]
    ends = {"first_id": page[0] if page else None, "last_id": page[-1] if page else None}
    return {"data": [model_entry(name) for name in page], "has_more": start + limit < len(names), **ends}


def model_entry(name: str) -> Mapping[str, object]:
    """Return a model in the list."""
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
