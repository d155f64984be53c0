"""Parse the address of a page once, so that the checked address is the fetched one."""

from dataclasses import dataclass
from functools import cached_property
from ipaddress import ip_address

from openkoi_base.ip_ranges import Ip
from openkoi_hookspecs import ToolError
from openkoi_hookspecs.lazy_pattern import lazy_pattern

PORTS = {"http": 80, "https": 443}
MAX_URL_CHARACTERS = 4_000
MAX_SHOWN_CHARACTERS = 400
NAME = lazy_pattern(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*")
NUMBER = lazy_pattern(r"[0-9]+|0x[0-9a-f]*")


@dataclass(frozen=True)
class PageAddress:
    """The address of a page: ``target`` is its path and query. The host is lower-case ASCII, without a final dot."""

    scheme: str
    host: str
    port: int
    target: str

    @cached_property
    def ip(self) -> Ip | None:
        """The IP address, if the host is one."""
        return ip_of(self.host)

    @property
    def authority(self) -> str:
        """Host and port, as in a URL."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"

    @property
    def printable(self) -> str:
        """The address, shortened for a message."""
        whole = str(self)
        return whole if len(whole) <= MAX_SHOWN_CHARACTERS else f"{whole[:MAX_SHOWN_CHARACTERS]}…"


def parse_address(text: str, base: PageAddress | None = None) -> PageAddress:
    """Parse a URL, relative to ``base`` if there is one; raise ToolError for an invalid one."""
    from httpx2 import URL, InvalidURL

    if len(text) > MAX_URL_CHARACTERS:
        raise ToolError(f"The URL has {len(text):,} characters; the limit is {MAX_URL_CHARACTERS:,}.")
    try:
        url = URL(str(base)).join(text.strip()) if base else URL(text.strip())
    except (InvalidURL, ValueError) as error:
        raise ToolError(f"{quote_text(text)} is not a URL: {error}. Give it as https://host/path.") from None
    if url.scheme not in PORTS:
        given = (
            f"{url.scheme}: addresses are never fetched"
            if url.scheme
            else "the URL does not start with http:// or https://"
        )
        raise ToolError(f"{quote_text(text)}: {given}. Give a page as https://host/path.")
    if url.userinfo:
        raise ToolError("The URL contains credentials, which are never sent. Remove them.")
    host = host_of(url.raw_host.decode("ascii"), text)
    port = PORTS[url.scheme] if url.port is None else url.port
    if not 0 < port < 65536:
        raise ToolError(f"{quote_text(text)}: invalid port {port}.")
    return PageAddress(url.scheme, host, port, url.raw_path.decode("ascii"))


def host_of(raw: str, text: str) -> str:
    """Return the canonical form of a host. Numbers that only some programs read as an address are refused."""
    host = raw.lower().removesuffix(".")
    if ip := ip_of(host):
        return str(ip)
    if len(host) > 253 or not NAME.fullmatch(host):
        raise ToolError(f"{quote_text(text)} has no host. Give a page as https://host/path.")
    if NUMBER.fullmatch(host.rpartition(".")[2]):
        raise ToolError(f"{quote_text(text)}: {host} is not a valid address. Write four numbers, like 192.0.2.1.")
    return host


def ip_of(host: str) -> Ip | None:
    """Return a text as an IP address; None if it is not one, or has a zone."""
    try:
        return None if "%" in host else ip_address(host)
    except ValueError:
        return None


def quote_text(text: str) -> str:
    """Return untrusted text for use in a sentence."""
    return repr(text if len(text) <= MAX_SHOWN_CHARACTERS else f"{text[:MAX_SHOWN_CHARACTERS]}…")
