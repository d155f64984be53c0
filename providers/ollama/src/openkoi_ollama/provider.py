"""The provider: one request out, one answer in. Knows the addresses; the formats are its neighbours'."""

from asyncio import Semaphore, gather, timeout
from collections.abc import AsyncIterator, Awaitable, Collection, Mapping, Sequence
from contextlib import aclosing
from typing import Annotated, Self, TypeVar

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
from openkoi_wire import Bounds, Cassette, Lines, Wire, written

from .advice import about_window, explained, explaining, not_offered
from .answer import Answer
from .catalogue import Defaults, Installed, full, installed, longest_answer, names_of, version_in
from .host import LOCAL, authorization, base_url_of
from .request import Prompt, Scribe, settings
from .window import Windows

T = TypeVar("T")

AT_ONCE = 8
SECONDS = 20.0
MEDIA_TYPES = ("image/png", "image/jpeg", "image/webp")  # what the decoders of its server read


class Ollama:
    """Configured by ``[providers.ollama]`` and by two variables; a server of one's own wants no key.

    ``idle_seconds`` is long, for a model that writes a tool call is silent; nearly twice as long is left for loading.
    ``num_ctx`` fixes the window of all models. ``context`` holds for models of which the server does not say,
    ``output`` is the longest answer, ``think`` whether models that can think do.
    """

    def __init__(
        self,
        *,
        base_url: Annotated[str, Env("OLLAMA_HOST")] = LOCAL,
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
            raise ConfigError("[providers.ollama] needs a context and an output above 0, and a num_ctx of 0 or more.")
        self._wire = Wire(
            base_url_of(base_url),
            headers=authorization(api_key),
            bounds=Bounds(idle=idle_seconds),
            cassette=cassette,
            transport=transport,
        )
        self._defaults = Defaults(context, output, num_ctx)
        self._think = think
        self._scribe = Scribe()
        self._windows = Windows()
        self._shown: dict[str, Installed] = {}

    @property
    def media_types(self) -> Collection[str]:
        """What it sends besides text."""
        return MEDIA_TYPES

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._wire.__aexit__()

    async def models(self) -> Sequence[Model]:
        """List what is installed and can be talked to. All of it is free."""
        with explaining(""):
            names = names_of(await self._soon(self._wire.get("/api/tags")), self._wire.server)
        few = Semaphore(AT_ONCE)
        found = await gather(*(self._listed(name, few) for name in names))
        return [one.model for one in found if one.chats]

    async def describe(self, name: str) -> Model:
        """Tell about one model; raises RequestRejectedError when it is not installed."""
        return (await self._show(name)).model

    async def health(self) -> Mapping[str, str]:
        """Say which Ollama it is and how many models it has; raises ProviderUnavailableError when it does not run."""
        with explaining(""):
            version = version_in(await self._offered("GET", "/api/version"))
            names = names_of(await self._soon(self._wire.get("/api/tags")), self._wire.server)
        return {"version": version, "models": str(len(names))}

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Stream one answer."""
        known = await self._known(request.model)
        prompt, answer = self._scribe.prompt(request), Answer(self._wire.server)
        body = prompt.asked(self._settings(request, prompt, known))
        try:
            async with aclosing(self._wire.stream("/api/chat", body, answer, Lines())) as chunks:
                async for chunk in chunks:
                    yield chunk
        except ProviderError as error:
            raise self._explained(error, known) from None
        self._windows.learn(request.model, prompt.size, answer.usage.input)
        for chunk in answer.ending():
            yield chunk

    def _settings(self, request: Request, prompt: Prompt, known: Installed) -> Mapping[str, object]:
        longest = min(request.max_output or known.model.output, longest_answer(known.model.context))
        window = self._windows.fit(known, prompt.size, longest)
        return settings(request, window=window, answer=longest, think=self._think if known.thinks else None)

    def _explained(self, error: ProviderError, known: Installed) -> ProviderError:
        """Say what to do; where a larger window will do, it is given the next time."""
        told = explained(error, known.model.name)
        if about_window(told) and self._windows.widen(known):
            return ProviderUnavailableError(f"{told} The next request gets a larger window.")
        return told

    async def _known(self, name: str) -> Installed:
        """What is known of a model; a server that will not tell says what is wrong when the model is asked."""
        try:
            return self._shown.get(full(name)) or await self._show(name)
        except WrongServerError:
            raise
        except RequestRejectedError:
            return installed(name, None, self._defaults)

    async def _listed(self, name: str, few: Semaphore) -> Installed:
        async with few:
            try:
                return await self._show(name)
            except ProviderError:
                return installed(name, None, self._defaults)

    async def _show(self, name: str) -> Installed:
        with explaining(name):
            answer = await self._offered("POST", "/api/show", written({"model": name}))
        self._shown[full(name)] = found = installed(name, answer, self._defaults)
        return found

    async def _offered(self, method: str, path: str, body: bytes = b"") -> Json:
        """Ask for what may be missing: None where a server does not offer it."""
        try:
            return await self._soon(self._wire.post(path, body) if method == "POST" else self._wire.get(path))
        except ProviderError as error:
            if not_offered(error):
                return None
            raise

    async def _soon(self, answer: Awaitable[T]) -> T:
        """Wait for what a server knows without its models, and not as long as for an answer."""
        try:
            async with timeout(SECONDS):
                return await answer
        except TimeoutError:
            raise self._wire.server.unavailable(f"did not say what models it has within {SECONDS:g} seconds.") from None
