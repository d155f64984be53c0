"""The provider: one request out, one answer in. Knows the two addresses; the formats are its neighbours'."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from openkoi_hookspecs import BadSetting, Chunk, Env, Model, Request
from openkoi_wire import Bounds, Wire

from .answer import Answer
from .catalogue import Defaults, models_of
from .request import Scribe

OFFICIAL = "https://api.openai.com/v1"


class OpenAI:
    """Configured by ``[providers.openai]`` and by two variables; a server of one's own may need no key.

    ``limit_key`` is how the server calls the longest answer: by default ``max_completion_tokens`` at OpenAI itself and
    ``max_tokens`` elsewhere. ``context`` and ``output`` hold for models of which the server does not say.
    """

    def __init__(
        self,
        *,
        api_key: Annotated[str, Env("OPENAI_API_KEY", secret=True)] = "",
        base_url: Annotated[str, Env("OPENAI_BASE_URL")] = OFFICIAL,
        idle_seconds: float = 60.0,
        context: int = 128_000,
        output: int = 16_384,
        limit_key: Literal["", "max_tokens", "max_completion_tokens"] = "",
        transport: object | None = None,
    ) -> None:
        if base_url == OFFICIAL and not api_key.strip():
            raise BadSetting("OpenAI needs a key. Set OPENAI_API_KEY, or OPENAI_BASE_URL to use another server.")
        headers = {"Authorization": f"Bearer {api_key.strip()}"} if api_key.strip() else {}
        self._wire = Wire(base_url, headers=headers, bounds=Bounds(idle=idle_seconds), transport=transport)
        self._scribe = Scribe(limit_key or limit_key_at(base_url))
        self._defaults = Defaults(context, output)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._wire.__aexit__()

    async def models(self) -> Sequence[Model]:
        """List what the server offers; prices are not known to it."""
        return models_of(await self._wire.get("/models"), self._defaults, self._wire.server)

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Stream one answer."""
        answer = Answer(self._wire.server)
        async with aclosing(self._wire.stream("/chat/completions", self._scribe.write(request), answer)) as chunks:
            async for chunk in chunks:
                yield chunk
        for chunk in answer.ending():
            yield chunk


def limit_key_at(base_url: str) -> str:
    """Name the longest answer as the server does: most know only the name that OpenAI has given up."""
    host, official = urlsplit(base_url).hostname or "", urlsplit(OFFICIAL).hostname or ""
    return "max_completion_tokens" if f".{host}".endswith(f".{official}") else "max_tokens"
