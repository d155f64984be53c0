"""Send one request to an address that is already resolved, and receive its response.

The requested URL contains the IP address; the host's name is in the header and in the TLS handshake, so that
certificates are checked against the name. No proxy, cookie, key or .netrc is used: a proxy would resolve names itself.
"""

from collections.abc import Sequence
from contextlib import aclosing
from functools import cache
from ssl import SSLContext
from typing import TYPE_CHECKING

from openkoi_hookspecs import ToolError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .address import PageAddress

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response

ACCEPT = "text/markdown, text/html;q=0.9, text/*;q=0.8, application/json;q=0.8, */*;q=0.5"
UNPACKED = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})
CONNECT_TIMEOUT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A server's response. ``cut``: the body is longer than what was read."""

    status: int
    type: str
    location: str
    body: bytes
    cut: bool = False


@dataclass(frozen=True, slots=True)
class HttpFetcher:
    """Fetches at most ``most`` bytes of a body, unpacked. ``authorities`` are trusted certificates; the system's by
    default.
    """

    most: int
    authorities: SSLContext | None = None

    async def get(self, address: PageAddress, ips: Sequence[str]) -> HttpAnswer:
        """Request a page from the first address that can be reached."""
        from httpx2 import AsyncClient, ConnectError, ConnectTimeout, Timeout

        async with AsyncClient(
            verify=self.authorities or system_authorities(),
            trust_env=False,
            timeout=Timeout(None, connect=CONNECT_TIMEOUT_SECONDS),
            headers={"User-Agent": user_agent(), "Accept": ACCEPT, "Accept-Encoding": "gzip, deflate"},
        ) as client:
            for ip in ips[:-1]:
                try:
                    return await self.request(client, address, ip)
                except (ConnectError, ConnectTimeout):
                    continue
            return await self.request(client, address, ips[-1])

    async def request(self, client: "AsyncClient", address: PageAddress, ip: str) -> HttpAnswer:
        """Request a page from one address."""
        host = f"[{ip}]" if ":" in ip else ip
        request = client.build_request(
            "GET",
            f"{address.scheme}://{host}:{address.port}{address.target}",
            headers={"Host": address.authority},
            extensions={"sni_hostname": address.host},
        )
        response = await client.send(request, stream=True)
        async with aclosing(response):
            body = await self.read_body(response, address) if response.is_success else b""
            headers = response.headers
            media_type, location = headers.get("content-type", ""), headers.get("location", "")
            return HttpAnswer(response.status_code, media_type, location, body[: self.most], len(body) > self.most)

    async def read_body(self, response: "Response", address: PageAddress) -> bytes:
        """Read a body up to the size limit, unpacked."""
        packed = response.headers.get("content-encoding", "").lower().strip()
        if packed not in UNPACKED:
            raise ToolError(f"{address.authority} used an unsupported content encoding.")
        whole = bytearray()
        async with aclosing(response.aiter_bytes()) as pieces:
            async for piece in pieces:
                whole += piece
                if len(whole) > self.most:
                    break
        return bytes(whole)


@cache
def system_authorities() -> SSLContext:
    """Load the system's trusted certificates once. ``SSL_CERT_FILE`` may name others."""
    from httpx2 import create_ssl_context

    return create_ssl_context()


def user_agent() -> str:
    """Return OpenKoi's user agent."""
    from importlib.metadata import version

    return f"openkoi/{version('openkoi-tools')}"
