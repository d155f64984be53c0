"""The provider: one request out, one answer in. Knows the addresses; the formats are its neighbours'."""

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import aclosing
from typing import Annotated, Self
from urllib.parse import quote

from openkoi_hookspecs import Chunk, Env, Model, Request
from openkoi_wire import Cassette, count

from .answer import Answer
from .catalogue import PREFIX, Defaults, complaint, model_of, page_of
from .door import OFFICIAL, Access, path_of
from .request import Scribe

MOST_PAGES = 100
MEDIA_TYPES = ("image/png", "image/jpeg", "image/webp", "application/pdf")  # the vendor takes no GIF


class Google:
    """Configured by ``[providers.google]`` and by three variables; a server of one's own may need no key.

    ``thoughts`` asks for summaries of what a model thinks; a model that cannot think refuses that. ``context`` and
    ``output`` hold for models of which the server does not say.
    """

    def __init__(
        self,
        *,
        api_key: Annotated[str, Env("GOOGLE_API_KEY", secret=True), Env("GEMINI_API_KEY", secret=True)] = "",
        base_url: Annotated[str, Env("GOOGLE_GEMINI_BASE_URL")] = OFFICIAL,
        idle_seconds: float = 60.0,
        context: int = 1_048_576,
        output: int = 8_192,
        thoughts: bool = False,
        cassette: Cassette = "",
        transport: object | None = None,
    ) -> None:
        self._wire = Access(
            key=api_key.strip(),
            base_url=base_url,
            idle_seconds=idle_seconds,
            cassette=cassette,
            transport=transport,
        ).door()
        self._scribe = Scribe(thoughts)
        self._defaults = Defaults(context, output)

    @property
    def media_types(self) -> Collection[str]:
        """What it sends besides text."""
        return MEDIA_TYPES

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._wire.__aexit__()

    async def models(self) -> Sequence[Model]:
        """List the models that answer in words; prices are not known to the server."""
        found: dict[str, Model] = {}
        token = ""
        for _ in range(MOST_PAGES):
            path = "/models?pageSize=1000" + (f"&pageToken={quote(token, safe='')}" if token else "")
            page = page_of(await self._wire.get(path), self._defaults, self._wire.server)
            found |= {model.name: model for model in page.models}
            if not page.next or page.next == token:
                break
            token = page.next
        return list(found.values())

    async def describe(self, name: str) -> Model:
        """Tell about one model; raises RequestRejectedError when there is none of that name."""
        entry = await self._wire.get(path_of(name))
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
            raise complaint(entry, self._wire.server, "a model")
        return model_of({**entry, "name": f"{PREFIX}{name.removeprefix(PREFIX)}"}, self._defaults)

    async def count_tokens(self, request: Request) -> int:
        """Ask how many tokens a request would be."""
        path = path_of(request.model, ":countTokens")
        answer = await self._wire.post(path, self._scribe.write_counting(request))
        if not isinstance(answer, dict) or not count(answer.get("totalTokens")):
            raise complaint(answer, self._wire.server, "a number of tokens")
        return count(answer.get("totalTokens"))

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Stream one answer."""
        answer = Answer(self._wire.server)
        path = path_of(request.model, ":streamGenerateContent?alt=sse")
        async with aclosing(self._wire.stream(path, self._scribe.write(request), answer)) as chunks:
            async for chunk in chunks:
                yield chunk
        for chunk in answer.ending():
            yield chunk
