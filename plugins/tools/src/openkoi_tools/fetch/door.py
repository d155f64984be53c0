"""One request out and its answer in, connected to an address that was looked up before. Knows HTTP; judges nothing.

The URL that is asked for holds the address; the host's name goes into the header and into the TLS handshake, so that
a certificate is checked against the name. No proxy, cookie, key or .netrc is used: a proxy would look names up itself.
"""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache
from ssl import SSLContext
from typing import TYPE_CHECKING

from openkoi_hookspecs import ToolError

from .address import PageAddress

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response

ACCEPT = "text/markdown, text/html;q=0.9, text/*;q=0.8, application/json;q=0.8, */*;q=0.5"
UNPACKED = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})
CONNECT = 5.0


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What a server said. ``cut``: there was more of the body than is read."""

    status: int
    type: str
    location: str
    body: bytes
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Door:
    """Fetches at most ``most`` bytes of a body, unpacked. ``authorities`` vouch for servers; the system's, if none."""

    most: int
    authorities: SSLContext | None = None

    async def get(self, address: PageAddress, ips: Sequence[str]) -> HttpAnswer:
        """Ask for a page at the first address that can be reached."""
        from httpx2 import AsyncClient, ConnectError, ConnectTimeout, Timeout

        async with AsyncClient(
            verify=self.authorities or system_authorities(),
            trust_env=False,
            timeout=Timeout(None, connect=CONNECT),
            headers={"User-Agent": agent(), "Accept": ACCEPT, "Accept-Encoding": "gzip, deflate"},
        ) as client:
            for ip in ips[:-1]:
                try:
                    return await self.asked(client, address, ip)
                except (ConnectError, ConnectTimeout):
                    continue
            return await self.asked(client, address, ips[-1])

    async def asked(self, client: "AsyncClient", address: PageAddress, ip: str) -> HttpAnswer:
        """Ask one address."""
        host = f"[{ip}]" if ":" in ip else ip
        request = client.build_request(
            "GET",
            f"{address.scheme}://{host}:{address.port}{address.target}",
            headers={"Host": address.authority},
            extensions={"sni_hostname": address.host},
        )
        response = await client.send(request, stream=True)
        async with aclosing(response):
            body = await self.body(response, address) if response.is_success else b""
            said = response.headers
            type, location = said.get("content-type", ""), said.get("location", "")
            return HttpAnswer(response.status_code, type, location, body[: self.most], len(body) > self.most)

    async def body(self, response: "Response", address: PageAddress) -> bytes:
        """Read a body, and break off where it is too large; it is unpacked in small pieces."""
        packed = response.headers.get("content-encoding", "").lower().strip()
        if packed not in UNPACKED:
            raise ToolError(f"{address.authority} packed its answer in a way that was not asked for.")
        whole = bytearray()
        async with aclosing(response.aiter_bytes()) as pieces:
            async for piece in pieces:
                whole += piece
                if len(whole) > self.most:
                    break
        return bytes(whole)


@cache
def system_authorities() -> SSLContext:
    """Who vouches for servers on this machine, read once. ``SSL_CERT_FILE`` may name others."""
    from httpx2 import create_ssl_context

    return create_ssl_context()


def agent() -> str:
    """Who we say we are."""
    from importlib.metadata import version

    return f"openkoi/{version('openkoi-tools')}"
