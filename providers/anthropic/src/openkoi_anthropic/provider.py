"""The provider: one request out, one answer in. Knows the addresses and the key; the formats are its neighbours'."""

from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from typing import Annotated, Self

from openkoi_hookspecs import Chunk, Env, Model, NoProviderError, Request, RequestRejectedError
from openkoi_hookspecs.content import IMAGE_TYPES
from openkoi_wire import Bounds, Cassette, Wire, count, replays

from .answer import Answer
from .catalogue import FIRST, Defaults, page_of
from .refusals import measured
from .request import Scribe
from .thinking import Thinking, sensible

OFFICIAL = "https://api.anthropic.com"
VERSION = {"anthropic-version": "2023-06-01"}
TOKEN = "sk-ant-oat"
FOR_TOKENS = {"anthropic-beta": "oauth-2025-04-20"}
PAGES = 50
MEDIA_TYPES = (*IMAGE_TYPES, "application/pdf")


class Anthropic:
    """Configured by ``[providers.anthropic]`` and by two variables.

    ``thinking`` is off, adaptive, or a number of tokens to think with. ``context`` and ``output`` hold for models of
    which the server does not say.
    """

    def __init__(
        self,
        *,
        api_key: Annotated[str, Env("ANTHROPIC_API_KEY", secret=True)] = "",
        base_url: Annotated[str, Env("ANTHROPIC_BASE_URL")] = OFFICIAL,
        idle_seconds: float = 60.0,
        context: int = 200_000,
        output: int = 16_384,
        thinking: Thinking = "off",
        cassette: Cassette = "",
        transport: object | None = None,
    ) -> None:
        key, base = api_key.strip(), base_url.rstrip("/").removesuffix("/v1")
        if base == OFFICIAL and not key and not replays(cassette):
            raise NoProviderError(
                "Anthropic needs a key. Set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for another server."
            )
        headers, bounds = {**VERSION, **credentials(key)}, Bounds(idle=idle_seconds)
        self._wire = Wire(base, headers=headers, bounds=bounds, cassette=cassette, transport=transport)
        self._scribe = Scribe(sensible(thinking))
        self._defaults = Defaults(context, output)
        self._outputs: dict[str, int] = {}

    @property
    def media_types(self) -> Collection[str]:
        """What it sends besides text."""
        return MEDIA_TYPES

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._wire.__aexit__()

    async def models(self) -> Sequence[Model]:
        """List what can be called; prices are not told."""
        found: dict[str, Model] = {}
        path = FIRST
        for _ in range(PAGES):
            page = page_of(await self._wire.get(path), self._defaults, self._wire.server)
            found |= {model.name: model for model in page.models}
            if not page.next or page.next == path:
                break
            path = page.next
        self._outputs = {model.name: model.output for model in found.values()}
        return tuple(found.values())

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Stream one answer."""
        body = self._scribe.write(request, self._longest(request.model))
        answer = Answer(self._wire.server)
        with measuring():
            async with aclosing(self._wire.stream("/v1/messages", body, answer)) as chunks:
                async for chunk in chunks:
                    yield chunk
        for chunk in answer.ending():
            yield chunk

    async def count_tokens(self, request: Request) -> int:
        """Ask how many tokens a request would be, without having it answered."""
        body = self._scribe.write_to_count(request, self._longest(request.model))
        with measuring():
            counted = await self._wire.post("/v1/messages/count_tokens", body)
        tokens = count(counted.get("input_tokens")) if isinstance(counted, dict) else 0
        if not tokens:
            raise self._wire.server.unavailable("was asked to count tokens and did not name a number.")
        return tokens

    def _longest(self, model: str) -> int:
        return self._outputs.get(model, self._defaults.output)


@contextmanager
def measuring() -> Iterator[None]:
    """Tell of a refusal whether the request was too long."""
    try:
        yield
    except RequestRejectedError as error:
        raise measured(error) from None


def credentials(key: str) -> Mapping[str, str]:
    """Show a key, or a token that stands for a person, as the vendor wants to see it; without one, none."""
    if key.startswith(TOKEN):
        return {"Authorization": f"Bearer {key}", **FOR_TOKENS}
    return {"x-api-key": key} if key else {}
