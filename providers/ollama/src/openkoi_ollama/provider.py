"""Ollama as a provider: list models and stream responses."""

from asyncio import Semaphore, gather, timeout
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import aclosing
from typing import Annotated, TypeVar

from openkoi_hookspecs import (
    Chunk,
    ConfigError,
    Env,
    Json,
    Model,
    ProviderError,
    ProviderUnavailableError,
    Request,
    RequestRejectedError,
    WrongServerError,
)
from openkoi_http import ApiClient, ApiPlugin, Cassette, JsonLines, ResponseLimits, encode_json

from .answer import OllamaResponseParser
from .errors import explain_error, explain_errors, is_unsupported_endpoint, is_window_too_small
from .host import DEFAULT_URL, auth_headers, parse_host
from .model_list import (
    InstalledModel,
    OllamaDefaults,
    max_answer_tokens,
    parse_installed,
    parse_names,
    parse_version,
    with_tag,
)
from .request import EncodedPrompt, OllamaRequestBuilder, response_settings
from .window import ContextWindows

T = TypeVar("T")

MAX_CONCURRENT_REQUESTS = 8
LIST_TIMEOUT_SECONDS = 20.0
MEDIA_TYPES = ("image/png", "image/jpeg", "image/webp")  # what the decoders of its server read


class Ollama(ApiPlugin):
    """A provider for Ollama, configured by ``[providers.ollama]`` and two environment variables.

    ``idle_seconds`` is long because a model that writes a tool call streams nothing. ``num_ctx`` fixes the context
    window of
    all models. ``context`` applies to models whose limit the server does not list, ``output`` limits the response,
    ``think``
    enables thinking in models that support it.
    """

    media_types = MEDIA_TYPES

    def __init__(
        self,
        *,
        base_url: Annotated[str, Env("OLLAMA_HOST")] = DEFAULT_URL,
        api_key: Annotated[str, Env("OLLAMA_API_KEY", secret=True)] = "",
        idle_seconds: float = 300.0,
        num_ctx: int = 0,
        context: int = 8192,
        output: int = 8192,
        think: bool = True,
        cassette: Cassette = "",
        transport: object | None = None,
    ) -> None:
        if num_ctx < 0 or context < 1 or output < 1:
            raise ConfigError("[providers.ollama]: `context` and `output` must be above 0, and `num_ctx` 0 or more.")
        self._client = ApiClient(
            parse_host(base_url),
            headers=auth_headers(api_key),
            bounds=ResponseLimits(idle_seconds=idle_seconds),
            cassette=cassette,
            transport=transport,
        )
        self._defaults = OllamaDefaults(context, output, num_ctx)
        self._think = think
        self._request_builder = OllamaRequestBuilder()
        self._windows = ContextWindows()
        self._shown: dict[str, InstalledModel] = {}

    async def models(self) -> Sequence[Model]:
        """List the installed models that generate text; all of them are free."""
        with explain_errors(""):
            names = parse_names(await self._with_list_timeout(self._client.get("/api/tags")), self._client.server)
        few = Semaphore(MAX_CONCURRENT_REQUESTS)
        found = await gather(*(self._describe_limited(name, few) for name in names))
        return [model.model for model in found if model.can_chat]

    async def describe(self, name: str) -> Model:
        """Return one model; raise RequestRejectedError when it is not installed."""
        return (await self._fetch_description(name)).model

    async def health(self) -> Mapping[str, str]:
        """Return the server's version and number of models; raise ProviderUnavailableError when it is not running."""
        with explain_errors(""):
            version = parse_version(await self._request_optional("GET", "/api/version"))
            names = parse_names(await self._with_list_timeout(self._client.get("/api/tags")), self._client.server)
        return {"version": version, "models": str(len(names))}

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Stream one response."""
        known = await self._describe_or_default(request.model)
        prompt, answer = self._request_builder.encode_prompt(request), OllamaResponseParser(self._client.server)
        body = prompt.complete(self._settings(request, prompt, known))
        try:
            async with aclosing(self._client.stream("/api/chat", body, answer, JsonLines())) as chunks:
                async for chunk in chunks:
                    yield chunk
        except ProviderError as error:
            raise self._explain_error(error, known) from None
        self._windows.record(request.model, prompt.size, answer.usage.input)
        for chunk in answer.finish():
            yield chunk

    def _settings(self, request: Request, prompt: EncodedPrompt, known: InstalledModel) -> Mapping[str, object]:
        longest = min(request.max_output or known.model.output, max_answer_tokens(known.model.context))
        window = self._windows.choose(known, prompt.size, longest)
        return response_settings(request, window=window, answer=longest, think=self._think if known.can_think else None)

    def _explain_error(self, error: ProviderError, known: InstalledModel) -> ProviderError:
        """Return the error with advice; widen the context window for the next request if that may help."""
        explained_error = explain_error(error, known.model.name)
        if is_window_too_small(explained_error) and self._windows.widen(known):
            return ProviderUnavailableError(f"{explained_error} The next request will use a larger context window.")
        return explained_error

    async def _describe_or_default(self, name: str) -> InstalledModel:
        """Return a model's description, or the defaults when the server cannot describe it."""
        try:
            return self._shown.get(with_tag(name)) or await self._fetch_description(name)
        except WrongServerError:
            raise
        except RequestRejectedError:
            return parse_installed(name, None, self._defaults)

    async def _describe_limited(self, name: str, few: Semaphore) -> InstalledModel:
        async with few:
            try:
                return await self._fetch_description(name)
            except ProviderError:
                return parse_installed(name, None, self._defaults)

    async def _fetch_description(self, name: str) -> InstalledModel:
        with explain_errors(name):
            answer = await self._request_optional("POST", "/api/show", encode_json({"model": name}))
        self._shown[with_tag(name)] = found = parse_installed(name, answer, self._defaults)
        return found

    async def _request_optional(self, method: str, path: str, body: bytes = b"") -> Json:
        """Send a request; return None when the server does not support the endpoint."""
        try:
            return await self._with_list_timeout(
                self._client.post(path, body) if method == "POST" else self._client.get(path)
            )
        except ProviderError as error:
            if is_unsupported_endpoint(error):
                return None
            raise

    async def _with_list_timeout(self, answer: Awaitable[T]) -> T:
        """Wait for a response that needs no model, with a shorter timeout."""
        try:
            async with timeout(LIST_TIMEOUT_SECONDS):
                return await answer
        except TimeoutError:
            raise self._client.server.unavailable(
                f"did not list its models within {LIST_TIMEOUT_SECONDS:g} seconds."
            ) from None
