"""The provider: one request out, one answer in. Knows addresses and who asks; the formats are its neighbours'."""

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import aclosing
from typing import Annotated, Self
from urllib.parse import quote

from openkoi_hookspecs import Chunk, Env, Json, Model, NoProviderError, ProviderError, Request, WrongServerError
from openkoi_wire import Bounds, Cassette, Wire, replays

from .answer import Answer
from .caching import Caching
from .catalogue import MODELS, PROFILES, Defaults, models_of
from .failures import explained
from .frames import Frames
from .keys import Chain, Keyring, Keys
from .media import MEDIA_TYPES
from .request import Scribe
from .shape import ANSWER, by_tool
from .signing import Signer

ANYWHERE = "us-east-1"


class Bedrock:
    """Configured by ``[providers.bedrock]`` and by the variables that the vendor's own tools read.

    A bearer token comes first, then a pair of keys, then whatever profile or login the vendor's tools would find; the
    role of the machine itself only with ``instance_role``. ``context`` and ``output`` hold for all models: the lists
    do not say. ``cache`` marks what is to be cached, by itself where the model is known to take it.
    """

    def __init__(
        self,
        *,
        api_key: Annotated[str, Env("AWS_BEARER_TOKEN_BEDROCK", secret=True)] = "",
        access_key_id: Annotated[str, Env("AWS_ACCESS_KEY_ID", secret=True)] = "",
        secret_access_key: Annotated[str, Env("AWS_SECRET_ACCESS_KEY", secret=True)] = "",
        session_token: Annotated[str, Env("AWS_SESSION_TOKEN", secret=True)] = "",
        instance_role: bool = False,
        region: Annotated[str, Env("AWS_REGION"), Env("AWS_DEFAULT_REGION")] = "",
        base_url: Annotated[str, Env("AWS_ENDPOINT_URL_BEDROCK_RUNTIME")] = "",
        control_url: Annotated[str, Env("AWS_ENDPOINT_URL_BEDROCK")] = "",
        cache: Caching = "auto",
        idle_seconds: float = 60.0,
        context: int = 128_000,
        output: int = 8_192,
        cassette: Cassette = "",
        transport: object | None = None,
    ) -> None:
        token = api_key.strip()
        keys = Keys(access_key_id.strip(), secret_access_key.strip(), session_token.strip())
        place = region or (ANYWHERE if replays(cassette) else "")
        unsigned = bool(token) or replays(cassette)
        if not place and not (unsigned and base_url):
            raise NoProviderError("Bedrock needs a region. Set AWS_REGION, or region in [providers.bedrock].")
        self._signer = None if unsigned else Signer(keyring(keys, instance_role=instance_role), place)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        bounds = Bounds(idle=idle_seconds)

        def opened(url: str) -> Wire:
            return Wire(url, headers=headers, bounds=bounds, sign=self._signer, cassette=cassette, transport=transport)

        self._wire = opened(base_url or f"https://bedrock-runtime.{place}.amazonaws.com")
        self._control = opened(control_url or base_url or f"https://bedrock.{place}.amazonaws.com")
        self._scribe = Scribe(cache)
        self._defaults = Defaults(context, output)

    @property
    def media_types(self) -> Collection[str]:
        """What it sends besides text."""
        return MEDIA_TYPES

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._wire.__aexit__()
        await self._control.__aexit__()

    async def models(self) -> Sequence[Model]:
        """List what the account's region offers; nothing when it does not say, which is no reason not to chat."""
        await self._ready()
        return models_of(await self._listing(MODELS), await self._listing(PROFILES), self._defaults)

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Stream one answer."""
        body = self._scribe.write(request)
        await self._ready()
        answer, frames = Answer(self._wire.server, ANSWER if by_tool(request) else ""), Frames()
        path = f"/model/{quote(request.model, safe='')}/converse-stream"
        try:
            async with aclosing(self._wire.stream(path, body, answer, frames)) as chunks:
                async for chunk in chunks:
                    yield chunk
            ending = answer.ending(frames.waiting)
        except ProviderError as error:
            raise explained(error) from None
        for chunk in ending:
            yield chunk

    async def _ready(self) -> None:
        if self._signer is None:
            return
        await self._signer.ready()
        self._signer.hide(self._wire.server)
        self._signer.hide(self._control.server)

    async def _listing(self, path: str) -> Json:
        try:
            return await self._control.get(path)
        except WrongServerError:
            raise
        except ProviderError:
            return None


def keyring(keys: Keys, *, instance_role: bool) -> Keyring:
    """Say where keys come from; raises ConfigError for half a pair."""
    if bool(keys.access) is not bool(keys.secret):
        raise NoProviderError("Bedrock has half a pair of keys. Set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.")
    return (lambda: keys) if keys.access else Chain(instance_role=instance_role)
