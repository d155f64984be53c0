"""Open a pool of connections to one server. Knows httpx2's settings; sends nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from .bounds import Bounds
from .server import loopback

if TYPE_CHECKING:
    from ssl import SSLContext

    from httpx2 import AsyncBaseTransport, AsyncClient

ALWAYS = {"User-Agent": "openkoi", "Accept-Encoding": "identity"}


@dataclass(frozen=True, slots=True)
class Pool:
    """What a pool is opened with; ``transport`` takes the place of the network in tests."""

    base_url: str
    headers: Mapping[str, str]
    bounds: Bounds
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
            transport=cast("AsyncBaseTransport | None", self.transport),  # untyped, so that signatures need no httpx2
        )

    @property
    def _local(self) -> bool:
        return loopback(urlsplit(self.base_url).hostname or "")

    def _authorities(self) -> "SSLContext | bool":
        """Load the certificates of the authorities, which takes time, unless nothing will ever be encrypted."""
        from ssl import PROTOCOL_TLS_CLIENT, SSLContext

        return SSLContext(PROTOCOL_TLS_CLIENT) if self._local and self.base_url.startswith("http:") else True
