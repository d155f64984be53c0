"""Anthropic as a provider: list models, count tokens, stream responses, which ``answer`` parses."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from typing import Annotated

from openkoi_hookspecs import Chunk, Env, Model, NoProviderError, Request, RequestRejectedError
from openkoi_hookspecs.content import IMAGE_TYPES
from openkoi_http import ApiClient, ApiPlugin, Cassette, ResponseLimits, is_replay, parse_count

from .answer import MessagesResponseParser
from .errors import flag_overflow
from .model_list import FIRST_PAGE_PATH, AnthropicDefaults, parse_page
from .request import MessagesRequestBuilder
from .thinking import Thinking, validate_thinking

OFFICIAL_URL = "https://api.anthropic.com"
VERSION_HEADER = {"anthropic-version": "2023-06-01"}
OAUTH_TOKEN_PREFIX = "sk-ant-oat"
OAUTH_HEADER = {"anthropic-beta": "oauth-2025-04-20"}
MAX_PAGES = 50
MEDIA_TYPES = (*IMAGE_TYPES, "application/pdf")


class Anthropic(ApiPlugin):
    """A provider for Anthropic's models, configured by ``[providers.anthropic]`` and two environment variables.

    ``thinking`` is off, adaptive, or a budget in tokens. ``context`` and ``output`` apply to models whose limits the
    server
    does not list.
    """

    media_types = MEDIA_TYPES

    def __init__(
        self,
        *,
        api_key: Annotated[str, Env("ANTHROPIC_API_KEY", secret=True)] = "",
        base_url: Annotated[str, Env("ANTHROPIC_BASE_URL")] = OFFICIAL_URL,
        idle_seconds: float = 60.0,
        context: int = 200_000,
        output: int = 16_384,
        thinking: Thinking = "off",
        cassette: Cassette = "",
        transport: object | None = None,
    ) -> None:
        key, base = api_key.strip(), base_url.rstrip("/").removesuffix("/v1")
        if base == OFFICIAL_URL and not key and not is_replay(cassette):
            raise NoProviderError(
                "Anthropic needs a key. Set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL to use another server."
            )
        headers, bounds = {**VERSION_HEADER, **auth_headers(key)}, ResponseLimits(idle_seconds=idle_seconds)
        self._client = ApiClient(base, headers=headers, bounds=bounds, cassette=cassette, transport=transport)
        self._request_builder = MessagesRequestBuilder(validate_thinking(thinking))
        self._defaults = AnthropicDefaults(context, output)
        self._outputs: dict[str, int] = {}

    async def models(self) -> Sequence[Model]:
        """List the available models; the server does not list prices."""
        found: dict[str, Model] = {}
        path = FIRST_PAGE_PATH
        for _ in range(MAX_PAGES):
            page = parse_page(await self._client.get(path), self._defaults, self._client.server)
            found |= {model.name: model for model in page.models}
            if not page.next_path or page.next_path == path:
                break
            path = page.next_path
        self._outputs = {model.name: model.output for model in found.values()}
        return tuple(found.values())

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Stream one response."""
        body = self._request_builder.build(request, self._max_output(request.model))
        answer = MessagesResponseParser(self._client.server)
        with flag_overflow_errors():
            async with aclosing(self._client.stream("/v1/messages", body, answer)) as chunks:
                async for chunk in chunks:
                    yield chunk
        for chunk in answer.finish():
            yield chunk

    async def count_tokens(self, request: Request) -> int:
        """Return the number of tokens of a request."""
        body = self._request_builder.build_count(request, self._max_output(request.model))
        with flag_overflow_errors():
            counted = await self._client.post("/v1/messages/count_tokens", body)
        tokens = parse_count(counted.get("input_tokens")) if isinstance(counted, dict) else 0
        if not tokens:
            raise self._client.server.unavailable("returned no token count.")
        return tokens

    def _max_output(self, model: str) -> int:
        return self._outputs.get(model, self._defaults.output)


@contextmanager
def flag_overflow_errors() -> Iterator[None]:
    """Mark rejections inside the block that were caused by the prompt's length."""
    try:
        yield
    except RequestRejectedError as error:
        raise flag_overflow(error) from None


def auth_headers(key: str) -> Mapping[str, str]:
    """Return the headers for an API key or an OAuth token; return none without a key."""
    if key.startswith(OAUTH_TOKEN_PREFIX):
        return {"Authorization": f"Bearer {key}", **OAUTH_HEADER}
    return {"x-api-key": key} if key else {}
