"""Keep connections to one server, or a cassette in their place.

Each connection is its own client: a client with many connections inspects all of them for every request.
"""

import os
from collections import deque
from collections.abc import Mapping
from dataclasses import field
from functools import lru_cache
from time import monotonic
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from openkoi_hookspecs import ConfigError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .cassette import root_path
from .limits import ResponseLimits
from .other_scheme import describe_other_scheme
from .server import Server, is_loopback
from .wrong_server import tls_problem

if TYPE_CHECKING:
    from ssl import SSLContext

    from httpx2 import AsyncBaseTransport, AsyncClient, Request, Response

    from .recorder import Recorder
    from .recordings import Recordings

DEFAULT_HEADERS = {"User-Agent": "openkoi", "Accept-Encoding": "identity"}
MAX_IDLE_SECONDS = 5.0
MAX_IDLE_CLIENTS = 256  # runs at once that each keep their connection


@dataclass(slots=True)
class ClientPool:
    """Clients for one server; ``transport`` replaces the network in tests.

    ``idle`` clients are stored with the time they became idle; the most recent one is reused first.
    """

    server: Server
    base_url: str
    headers: Mapping[str, str]
    bounds: ResponseLimits
    cassette: "Recorder | Recordings | None"
    transport: object | None
    clients: "set[AsyncClient]" = field(default_factory=set)
    idle: "deque[tuple[float, AsyncClient]]" = field(default_factory=deque)
    ssl_context: "SSLContext | None" = None

    def acquire(self) -> "AsyncClient":
        """Return a client for one request at a time; it is not connected yet."""
        if self.idle:
            return self.idle.pop()[1]
        client = self._open()
        self.clients.add(client)
        return client

    async def release(self, client: "AsyncClient") -> None:
        """Return a client to the pool, and close clients that were idle for too long."""
        now = monotonic()
        if client in self.clients:
            self.idle.append((now, client))
        while self.idle and (len(self.idle) > MAX_IDLE_CLIENTS or now - self.idle[0][0] > MAX_IDLE_SECONDS):
            _, old = self.idle.popleft()
            self.clients.remove(old)
            await old.aclose()

    async def close(self) -> None:
        """Close all connections, including those in use."""
        self.idle.clear()
        while self.clients:
            await self.clients.pop().aclose()

    def _open(self) -> "AsyncClient":
        from httpx2 import AsyncClient, Timeout

        return AsyncClient(
            base_url=self.base_url,
            headers={**DEFAULT_HEADERS, **self.headers},
            timeout=Timeout(None, connect=self.bounds.connect_seconds),
            verify=self._load_ssl_context(),
            trust_env=not self._is_local,  # HTTPS_PROXY and NO_PROXY; this machine is reached without a proxy
            transport=self._make_transport(),
        )

    async def send(self, client: "AsyncClient", request: "Request") -> "Response":
        """Send a request whose response is streamed; find out why a server breaks off."""
        from httpx2 import ConnectError, ReadError, RemoteProtocolError

        try:
            return await self._send(client, request)
        except (ConnectError, ReadError, RemoteProtocolError) as error:
            is_known = self.is_replay or self.transport or tls_problem(error)
            problem = "" if is_known else await describe_other_scheme(self.base_url)
            if not problem:
                raise
        raise self.server.wrong_server(problem)

    async def _send(self, client: "AsyncClient", request: "Request") -> "Response":
        if recorder := self._recorder():
            return await recorder.send(client, request)
        return await client.send(request, stream=True)

    def _recorder(self) -> "Recorder | None":
        if self.cassette is None:
            return None
        from .recorder import Recorder

        return self.cassette if isinstance(self.cassette, Recorder) else None

    def _recordings(self) -> "Recordings | None":
        if self.cassette is None:
            return None
        from .recordings import Recordings

        return self.cassette if isinstance(self.cassette, Recordings) else None

    @property
    def is_replay(self) -> bool:
        """Whether responses come from a cassette."""
        return self._recordings() is not None

    def _make_transport(self) -> "AsyncBaseTransport | None":
        if recordings := self._recordings():
            from .cassette_transport import ReplayTransport

            return ReplayTransport(recordings, root_path(self.base_url))
        return cast("AsyncBaseTransport | None", self.transport)  # untyped, so that signatures need no httpx2

    @property
    def _is_local(self) -> bool:
        return is_loopback(urlsplit(self.base_url).hostname or "")

    def _load_ssl_context(self) -> "SSLContext":
        """Load the certificate authorities, which is slow, unless nothing is encrypted."""
        from ssl import PROTOCOL_TLS_CLIENT, SSLContext

        if self.ssl_context is None:
            bare = self.is_replay or (self._is_local and self.base_url.startswith("http:"))
            self.ssl_context = SSLContext(PROTOCOL_TLS_CLIENT) if bare else load_authorities()
        return self.ssl_context


def load_authorities() -> "SSLContext":
    """Return the trusted certificate authorities, which all clients of a process share: they are megabytes."""
    try:
        return read_authorities(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
    except OSError as error:
        raise ConfigError(f"Cannot read the certificates in SSL_CERT_FILE: {error}") from None


@lru_cache(maxsize=4)
def read_authorities(*_places: str | None) -> "SSLContext":
    """Read the certificate authorities in these places, which httpx2 finds by itself."""
    from httpx2 import create_ssl_context

    return create_ssl_context()
