"""Send the requests that a plugin was granted: each redirect is checked, and each name is looked up once.

No cookies, credentials or proxies of the user are used. A public name that resolves to this machine or its network
is refused, regardless of its owner: only hosts that the manifest names may be there.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import field
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urljoin

from openkoi_base.grants import Capabilities
from openkoi_base.grants.url_patterns import host_of, port_of, split_address
from openkoi_base.ip_ranges import is_loopback, is_private, is_public
from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import httpx2

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
MAX_BYTES = 1 << 20
MAX_REDIRECTS = 5
CONNECT_SECONDS = 5.0
LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")
OF_THE_ORIGIN = frozenset({"authorization", "cookie", "proxy-authorization"})
RESERVED = frozenset({"host", "content-length", "transfer-encoding", "connection", "accept-encoding"})
NOT_GRANTED = "{url} may not be fetched. [capabilities] network grants only {granted}."


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """A plugin's request."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    def follow_redirect(self, url: str, status: int) -> "FetchRequest":
        """Return the request that a redirect asks for; another server gets no credentials."""
        same = origin_of(self.url) == origin_of(url)
        headers = {name: one for name, one in self.headers.items() if same or name.lower() not in OF_THE_ORIGIN}
        if status in (307, 308):
            return FetchRequest(url, self.method, headers, self.body)
        return FetchRequest(url, "HEAD" if self.method == "HEAD" else "GET", headers)


async def fetch(request: FetchRequest, granted: Capabilities) -> Mapping[str, Any]:
    """Return the status, headers and text of a response; raise KoiError if the request is not granted or fails."""
    import httpx2

    try:
        for _ in range(MAX_REDIRECTS + 1):
            async with answer_to(request, granted) as response:
                if not response.has_redirect_location:
                    return await read_answer(response)
                request = request.follow_redirect(
                    urljoin(request.url, response.headers["location"]), response.status_code
                )
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise KoiError(f"{request.url} cannot be fetched: {type(error).__name__}.") from None
    raise KoiError(f"{request.url} redirects more than {MAX_REDIRECTS} times.")


@asynccontextmanager
async def answer_to(request: FetchRequest, granted: Capabilities) -> "AsyncIterator[httpx2.Response]":
    """Yield the response to one request; its body is not read yet."""
    import httpx2

    parts = split_address(request.url)
    if parts is None or not granted.may_fetch(request.url):
        patterns = ", ".join(f"{one.scheme}://{one.host}:{one.port}{one.path}" for one in granted.network)
        raise KoiError(NOT_GRANTED.format(url=repr(request.url[:200]), granted=patterns))
    address = await find_address(parts, granted)
    timeout = httpx2.Timeout(None, connect=CONNECT_SECONDS)  # the call of the module ends before all of this
    async with httpx2.AsyncClient(trust_env=False, timeout=timeout, follow_redirects=False) as client:
        sent = client.build_request(
            request.method,
            f"{parts.scheme}://{f'[{address}]' if ':' in address else address}:{port_of(parts)}{target_of(parts)}",
            headers={**request.headers, "Host": parts.netloc.lower(), "Accept-Encoding": "identity"},
            content=request.body or None,
            extensions={"sni_hostname": host_of(parts).strip("[]")},
        )
        response = await client.send(sent, stream=True)
        try:
            yield response
        finally:
            await response.aclose()


async def find_address(parts: SplitResult, granted: Capabilities) -> str:
    """Return the address to connect to; raise KoiError if a name resolves to an address that is not granted."""
    host = host_of(parts)
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host.strip("[]"), port_of(parts), type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise KoiError(f"Cannot resolve {host}.") from None
    addresses = [str(one[4][0]) for one in found]
    if not all(may_connect(one, host, granted) for one in addresses):
        raise KoiError(
            f"{host} resolves to an address on this machine or its network, which the manifest does not grant."
        )
    return addresses[0]


def may_connect(address: str, host: str, granted: Capabilities) -> bool:
    """Whether a host may be at an address: public ones may, others only if the manifest names the host itself."""
    ip = ip_address(address.partition("%")[0])
    if is_public(ip):
        return True
    named = any(one.host == host for one in granted.network)
    return named and (is_private(ip) or (is_loopback(ip) and host in LOCAL_NAMES))


async def read_answer(response: "httpx2.Response") -> Mapping[str, Any]:
    """Return a response as a module receives it; raise KoiError for one that is too large or compressed."""
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise KoiError("The server compressed its response although it was asked not to.")
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > MAX_BYTES:
            raise KoiError(f"The response has more than {MAX_BYTES:,} bytes.")
    text = body.decode(response.encoding or "utf-8", "replace")
    return {"status": response.status_code, "headers": dict(response.headers), "text": text}


def checked_request(url: str, method: str, headers: Mapping[str, Any], body: str) -> FetchRequest:
    """Return a request; raise KoiError for one that cannot be sent."""
    if method not in METHODS:
        raise KoiError(f"method must be one of {', '.join(METHODS)}.")
    if not all(isinstance(one, str) and valid_header(name, one) for name, one in headers.items()):
        raise KoiError("headers must be single-line strings, and may not set connection headers.")
    return FetchRequest(url, method, headers, body.encode("utf-8", "replace"))


def valid_header(name: str, value: str) -> bool:
    plain = name.replace("-", "").replace("_", "").isalnum() and name.isascii()
    return plain and name.lower() not in RESERVED and value.isascii() and value.isprintable()


def origin_of(url: str) -> tuple[str, str, int] | None:
    parts = split_address(url)
    return (parts.scheme, host_of(parts), port_of(parts)) if parts else None


def target_of(parts: SplitResult) -> str:
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
