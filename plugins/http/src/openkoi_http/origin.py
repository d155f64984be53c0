"""Write the heads of plain HTTP/1.1 requests to a base URL.

URLs with logins, unusual characters or addresses of other servers are left to httpx2.
"""

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .api_request import ApiRequest

DEFAULT_PORTS = {"http": 80, "https": 443}
HOST = lazy_pattern(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|[0-9a-f:.]*:[0-9a-f:.]*")
PATH = lazy_pattern(
    r"/(?!/)(?:[A-Za-z0-9_~!$&'()*+,;=:@/-]|(?<!/)\.|%[0-9A-Fa-f]{2})*"
    r"(?:\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?"
)
WITH_LENGTH = ("POST", "PUT", "PATCH")


class Origin(NamedTuple):
    """A server, the path that all requests begin with, and their common headers, by names in lower case."""

    scheme: str
    host: str
    port: int
    prefix: str
    headers: Mapping[str, str]

    @property
    def is_tls(self) -> bool:
        """Whether connections are encrypted."""
        return self.scheme == "https"

    @property
    def address(self) -> str:
        """The host, with the port if it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    def head_of(self, request: ApiRequest) -> bytes:
        """Return the head of a request, for a path that ``is_plain``."""
        target = self.prefix + request.path
        headers = {"host": self.address, **self.headers}
        own = request.headers_for(f"{self.scheme}://{self.address}{target}")
        headers |= {name.lower(): value for name, value in own.items()}
        if request.body is not None or request.method in WITH_LENGTH:
            headers["content-length"] = str(len(request.body or b""))
        lines = [f"{request.method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode("ascii")


def find_origin(base_url: str, headers: Mapping[str, str]) -> Origin | None:
    """Return the origin of a base URL; None if it is not a plain one."""
    url = urlsplit(base_url)
    host, prefix = url.hostname or "", url.path.rstrip("/")
    plain = HOST.fullmatch(host) and (not prefix or is_plain(prefix)) and not (url.query or url.fragment)
    if not plain or url.username is not None or url.scheme not in DEFAULT_PORTS or not base_url.isascii():
        return None
    common = {"accept": "*/*", "connection": "keep-alive", **{name.lower(): value for name, value in headers.items()}}
    return Origin(url.scheme, host, url.port or DEFAULT_PORTS[url.scheme], prefix, common)


def is_plain(path: str) -> bool:
    """Return whether a path is sent unchanged: it is on this server, and needs no encoding or resolving."""
    return PATH.fullmatch(path) is not None
