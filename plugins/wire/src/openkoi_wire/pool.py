"""A pool of connections to one server, or a cassette in its place. Knows httpx2's settings; reads no answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from .bounds import Bounds
from .cassette import root_of
from .recorder import Recorder
from .recordings import Recordings
from .server import loopback

if TYPE_CHECKING:
    from ssl import SSLContext

    from httpx2 import AsyncBaseTransport, AsyncClient, Request, Response

ALWAYS = {"User-Agent": "openkoi", "Accept-Encoding": "identity"}


@dataclass(frozen=True, slots=True)
class Pool:
    """What a pool is opened with; ``transport`` takes the place of the network in tests."""

    base_url: str
    headers: Mapping[str, str]
    bounds: Bounds
    cassette: Recorder | Recordings | None
    transport: object | None

    def open(self) -> "AsyncClient":
        """Open it; no connection is made yet."""
        from httpx2 import AsyncClient, Limits, Timeout

        return AsyncClient(
            base_url=self.base_url,
            headers={**ALWAYS, **self.headers},
            timeout=Timeout(None, connect=self.bounds.connect),
            limits=Limits(max_connections=None, max_keepalive_connections=64),
            verify=self._authorities(),
            trust_env=not self._local,
            transport=self._transport(),
        )

    async def send(self, client: "AsyncClient", request: "Request") -> "Response":
        """Send a request, whose answer is then read as a stream."""
        if isinstance(self.cassette, Recorder):
            return await self.cassette.send(client, request)
        return await client.send(request, stream=True)

    @property
    def replays(self) -> bool:
        """Whether nothing goes over the network."""
        return isinstance(self.cassette, Recordings)

    def _transport(self) -> "AsyncBaseTransport | None":
        if isinstance(self.cassette, Recordings):
            from .playing import Player

            return Player(self.cassette, root_of(self.base_url))
        return cast("AsyncBaseTransport | None", self.transport)  # untyped, so that signatures need no httpx2

    @property
    def _local(self) -> bool:
        return loopback(urlsplit(self.base_url).hostname or "")

    def _authorities(self) -> "SSLContext | bool":
        """Load the certificates of the authorities, which takes time, unless nothing will ever be encrypted."""
        from ssl import PROTOCOL_TLS_CLIENT, SSLContext

        bare = self.replays or (self._local and self.base_url.startswith("http:"))
        return SSLContext(PROTOCOL_TLS_CLIENT) if bare else True
