"""The address of a page, taken apart once: what is judged is what is asked for. Knows URLs; knows no network."""

import re
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TypeAlias

from openkoi_hookspecs import ToolError

Ip: TypeAlias = IPv4Address | IPv6Address

PORTS = {"http": 80, "https": 443}
LONGEST = 4_000
SHOWN = 400
NAME = re.compile(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*")
NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


@dataclass(frozen=True)
class PageAddress:
    """Where a page is: ``target`` is its path and query. The host is in lower case, in ASCII, without a last dot."""

    scheme: str
    host: str
    port: int
    target: str

    @cached_property
    def ip(self) -> Ip | None:
        """The address that the host is, where it is one and not a name."""
        return ip_of(self.host)

    @property
    def authority(self) -> str:
        """Host and port, as they stand in a URL."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"

    @property
    def printable(self) -> str:
        """The address as it may stand in a sentence."""
        whole = str(self)
        return whole if len(whole) <= SHOWN else f"{whole[:SHOWN]}…"


def read(text: str, base: PageAddress | None = None) -> PageAddress:
    """Take a URL apart, relative to ``base`` if there is one; raises ToolError for what is not fetched."""
    from httpx2 import URL, InvalidURL

    if len(text) > LONGEST:
        raise ToolError(f"The URL has {len(text):,} characters; {LONGEST:,} are the most that are fetched.")
    try:
        url = URL(str(base)).join(text.strip()) if base else URL(text.strip())
    except (InvalidURL, ValueError) as error:
        raise ToolError(f"{quote_text(text)} is not a URL: {error}. Give it as https://host/path.") from None
    if url.scheme not in PORTS:
        given = f"{url.scheme}: addresses are never fetched" if url.scheme else "the URL says neither http nor https"
        raise ToolError(f"{quote_text(text)}: {given}. Give a page as https://host/path.")
    if url.userinfo:
        raise ToolError("The URL holds credentials, which are never sent. Leave them out.")
    host = host_of(url.raw_host.decode("ascii"), text)
    port = PORTS[url.scheme] if url.port is None else url.port
    if not 0 < port < 65536:
        raise ToolError(f"{quote_text(text)}: invalid port {port}.")
    return PageAddress(url.scheme, host, port, url.raw_path.decode("ascii"))


def host_of(raw: str, text: str) -> str:
    """A host in its one spelling. Numbers that only some would read as an address are refused."""
    host = raw.lower().removesuffix(".")
    if ip := ip_of(host):
        return str(ip)
    if len(host) > 253 or not NAME.fullmatch(host):
        raise ToolError(f"{quote_text(text)} names no host. Give a page as https://host/path.")
    if NUMBER.fullmatch(host.rpartition(".")[2]):
        raise ToolError(
            f"{quote_text(text)}: {host} is not how an address is written. Four numbers make one, like 192.0.2.1."
        )
    return host


def ip_of(host: str) -> Ip | None:
    """The address that a text is; none with a zone."""
    try:
        return None if "%" in host else ip_address(host)
    except ValueError:
        return None


def quote_text(text: str) -> str:
    """Return untrusted text for use in a sentence."""
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}…")
