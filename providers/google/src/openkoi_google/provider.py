"""Google as a provider: list models, count tokens, stream responses."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Annotated
from urllib.parse import quote

from openkoi_hookspecs import Chunk, Env, Model, Request
from openkoi_http import ApiPlugin, Cassette, parse_count

from .access import OFFICIAL_URL, GoogleAccess, path_of
from .answer import GeminiResponseParser
from .model_list import PREFIX, GoogleDefaults, parse_model, parse_page, unexpected_response_error
from .request import GeminiRequestBuilder

MAX_PAGES = 100
MEDIA_TYPES = ("image/png", "image/jpeg", "image/webp", "application/pdf")  # the vendor takes no GIF


class Google(ApiPlugin):
    """A provider for Gemini models, configured by ``[providers.google]`` and three environment variables.

    ``thoughts`` requests summaries of a model's reasoning, which models without reasoning reject. ``context`` and
    ``output``
    apply to models whose limits the server does not list.
    """

    media_types = MEDIA_TYPES

    def __init__(
        self,
        *,
        api_key: Annotated[str, Env("GOOGLE_API_KEY", secret=True), Env("GEMINI_API_KEY", secret=True)] = "",
        base_url: Annotated[str, Env("GOOGLE_GEMINI_BASE_URL")] = OFFICIAL_URL,
        idle_seconds: float = 60.0,
        context: int = 1_048_576,
        output: int = 8_192,
        thoughts: bool = False,
        cassette: Cassette = "",
        transport: object | None = None,
    ) -> None:
        self._client = GoogleAccess(
            key=api_key.strip(),
            base_url=base_url,
            idle_seconds=idle_seconds,
            cassette=cassette,
            transport=transport,
        ).open_client()
        self._request_builder = GeminiRequestBuilder(thoughts)
        self._defaults = GoogleDefaults(context, output)

    async def models(self) -> Sequence[Model]:
        """List the models that generate content; the server lists no prices."""
        found: dict[str, Model] = {}
        token = ""
        for _ in range(MAX_PAGES):
            path = "/models?pageSize=1000" + (f"&pageToken={quote(token, safe='')}" if token else "")
            page = parse_page(await self._client.get(path), self._defaults, self._client.server)
            found |= {model.name: model for model in page.models}
            if not page.next_token or page.next_token == token:
                break
            token = page.next_token
        return list(found.values())

    async def describe(self, name: str) -> Model:
        """Return one model; raise RequestRejectedError when it does not exist."""
        entry = await self._client.get(path_of(name))
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
            raise unexpected_response_error(entry, self._client.server, "a model")
        return parse_model({**entry, "name": f"{PREFIX}{name.removeprefix(PREFIX)}"}, self._defaults)

    async def count_tokens(self, request: Request) -> int:
        """Return the number of tokens of a request."""
        path = path_of(request.model, ":countTokens")
        answer = await self._client.post(path, self._request_builder.build_count(request))
        if not isinstance(answer, dict) or not parse_count(answer.get("totalTokens")):
            raise unexpected_response_error(answer, self._client.server, "a number of tokens")
        return parse_count(answer.get("totalTokens"))

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Stream one response."""
        answer = GeminiResponseParser(self._client.server)
        path = path_of(request.model, ":streamGenerateContent?alt=sse")
        async with aclosing(self._client.stream(path, self._request_builder.build(request), answer)) as chunks:
            async for chunk in chunks:
                yield chunk
        for chunk in answer.finish():
            yield chunk
