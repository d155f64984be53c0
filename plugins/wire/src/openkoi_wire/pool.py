"""Connections to one server, or a cassette in their place. Knows httpx2's settings; reads no answer.

Each connection is a client of its own, and whoever asks takes one that is idle: a client that has many of them looks at
every one before and after each request.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from openkoi_hookspecs import ConfigError

from .bounds import Bounds
from .cassette import root_of
from .recorder import Recorder
from .recordings import Recordings
from .server import loopback

if TYPE_CHECKING:
    from ssl import SSLContext

    from httpx2 import AsyncBaseTransport, AsyncClient, Request, Response

ALWAYS = {"User-Agent": "openkoi", "Accept-Encoding": "identity"}
UNUSED = 5.0
MOST_IDLE = 64


@dataclass(slots=True)
class Pool:
    """What clients are opened with; ``transport`` takes the place of the network in tests.

    ``idle`` are those that nobody uses, with the time since when: the one that was used last is used next.
    """

    base_url: str
    headers: Mapping[str, str]
    bounds: Bounds
    cassette: Recorder | Recordings | None
    transport: object | None
    clients: "set[AsyncClient]" = field(default_factory=set)
    idle: "deque[tuple[float, AsyncClient]]" = field(default_factory=deque)
    trusted: "SSLContext | None" = None

    def take(self) -> "AsyncClient":
        """A client for one request at a time; no connection is made yet."""
        if self.idle:
            return self.idle.pop()[1]
        client = self._open()
        self.clients.add(client)
        return client

    async def give_back(self, client: "AsyncClient") -> None:
        """Take a client back, and close those that nobody has needed for a while."""
        now = monotonic()
        if client in self.clients:
            self.idle.append((now, client))
        while self.idle and (len(self.idle) > MOST_IDLE or now - self.idle[0][0] > UNUSED):
            _, old = self.idle.popleft()
            self.clients.remove(old)
            await old.aclose()

    async def close(self) -> None:
        """Hang up everywhere, also where an answer is being read."""
        self.idle.clear()
        while self.clients:
            await self.clients.pop().aclose()

    def _open(self) -> "AsyncClient":
        from httpx2 import AsyncClient, Timeout

        return AsyncClient(
            base_url=self.base_url,
            headers={**ALWAYS, **self.headers},
            timeout=Timeout(None, connect=self.bounds.connect),
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

    def _authorities(self) -> "SSLContext":
        """Load the certificates of the authorities, which takes time, unless nothing will ever be encrypted."""
        from ssl import PROTOCOL_TLS_CLIENT, SSLContext

        from httpx2 import create_ssl_context

        if self.trusted is None:
            bare = self.replays or (self._local and self.base_url.startswith("http:"))
            try:
                self.trusted = SSLContext(PROTOCOL_TLS_CLIENT) if bare else create_ssl_context()
            except OSError as error:
                raise ConfigError(f"The certificates that SSL_CERT_FILE names cannot be read: {error}") from None
        return self.trusted
