"""Pool the connections to one server (keep-alive), or use a cassette in their place.

Each connection is its own client: a client with many connections inspects all of them for every request.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import field
from time import monotonic
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from openkoi_hookspecs.lazy_dataclass import dataclass

from .api_request import ApiRequest, Client, Response
from .authorities import load_authorities
from .cassette import root_path
from .limits import ResponseLimits
from .network_errors import connection_errors
from .origin import Origin, find_origin, is_plain
from .other_scheme import describe_other_scheme, may_be_proxied
from .server import Server, is_loopback
from .wrong_server import tls_problem

if TYPE_CHECKING:
    from ssl import SSLContext

    from httpx2 import URL, AsyncBaseTransport

    from .recorder import Recorder
    from .recordings import Recordings

DEFAULT_HEADERS = {"User-Agent": "openkoi", "Accept-Encoding": "identity"}
MAX_IDLE_SECONDS = 5.0
MAX_IDLE_CLIENTS = 256  # runs at once that each keep their connection


@dataclass(slots=True)
class ClientPool:
    """Clients for one server; ``transport`` replaces the network in tests.

    ``idle`` clients are stored with the time they became idle; the most recent one is reused first. Requests that are
    not plain HTTP/1.1 have a client of httpx2, which is closed after them if the others are direct ones.
    """

    server: Server
    base_url: str
    headers: Mapping[str, str]
    bounds: ResponseLimits
    cassette: "Recorder | Recordings | None"
    transport: object | None
    clients: set[Client] = field(default_factory=set)
    idle: deque[tuple[float, Client]] = field(default_factory=deque)
    addresses: "dict[str, URL]" = field(default_factory=dict)
    ssl_context: "SSLContext | None" = None
    origin: Origin | None = field(init=False)

    def __post_init__(self) -> None:
        replaced = self.cassette is not None or self.transport is not None
        direct = not replaced and (self._is_local or not may_be_proxied(self.base_url))
        self.origin = find_origin(self.base_url, {**DEFAULT_HEADERS, **self.headers}) if direct else None

    def acquire(self, path: str) -> Client:
        """Return a client for one request for a path at a time; it is not connected yet."""
        usual = self._is_usual(path)
        if usual and self.idle:
            return self.idle.pop()[1]
        client = self._open_direct(self.origin) if usual and self.origin else self._open_httpx()
        self.clients.add(client)
        return client

    async def release(self, client: Client, path: str) -> None:
        """Return a client to the pool, and close clients that were idle for too long."""
        now = monotonic()
        if client in self.clients and self._is_usual(path):
            self.idle.append((now, client))
        elif client in self.clients:
            self.clients.remove(client)
            await client.aclose()
        while self.idle and (len(self.idle) > MAX_IDLE_CLIENTS or now - self.idle[0][0] > MAX_IDLE_SECONDS):
            _, old = self.idle.popleft()
            self.clients.remove(old)
            await old.aclose()

    async def close(self) -> None:
        """Close all connections, including those in use."""
        self.idle.clear()
        while self.clients:
            await self.clients.pop().aclose()

    def _is_usual(self, path: str) -> bool:
        return self.origin is None or is_plain(path)

    def _open_direct(self, origin: Origin) -> Client:
        from .direct_client import DirectClient

        return DirectClient(origin, self.bounds.connect_seconds, self._load_ssl_context() if origin.is_tls else None)

    def _open_httpx(self) -> Client:
        from httpx2 import AsyncClient, Timeout

        from .httpx_client import HttpxClient

        client = AsyncClient(
            base_url=self.base_url,
            headers={**DEFAULT_HEADERS, **self.headers},
            timeout=Timeout(None, connect=self.bounds.connect_seconds),
            verify=self._load_ssl_context(),
            trust_env=not self._is_local,  # HTTPS_PROXY and NO_PROXY; this machine is reached without a proxy
            transport=self._make_transport(),
        )
        return HttpxClient(client, self.server, self.addresses, self._recorder())

    async def send(self, client: Client, request: ApiRequest) -> Response:
        """Send a request whose response is streamed; if the connection breaks off, find out why."""
        try:
            return await client.send(request)
        except connection_errors() as error:
            is_known = self.is_replay or self.transport or tls_problem(error)
            problem = "" if is_known else await describe_other_scheme(self.base_url)
            if not problem:
                raise
        raise self.server.wrong_server(problem)

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
        """Load the certificate authorities, which is slow; skip this if nothing is encrypted."""
        from ssl import PROTOCOL_TLS_CLIENT, SSLContext

        if self.ssl_context is None:
            bare = self.is_replay or (self._is_local and self.base_url.startswith("http:"))
            self.ssl_context = SSLContext(PROTOCOL_TLS_CLIENT) if bare else load_authorities()
        return self.ssl_context
