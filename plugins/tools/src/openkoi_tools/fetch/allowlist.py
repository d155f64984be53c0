"""Represent the hosts that the user lists."""

from collections.abc import Sequence

from openkoi_base.ip_ranges import Ip, is_loopback, is_private, is_public
from openkoi_hookspecs import ConfigError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .address import NAME, PORTS, PageAddress, ip_of

ANY = "*"


@dataclass(frozen=True, slots=True)
class AllowedHost:
    """A line of the list; without a ``port`` it applies to the usual ones, and ``below`` includes subdomains."""

    host: str
    port: str = ""
    below: bool = False

    def names(self, host: str, port: int) -> bool:
        """Return whether it is exactly this host."""
        return not self.below and self.host == host and self.opens(port)

    def covers(self, host: str, port: int) -> bool:
        """Return whether it is this host, or a pattern that matches it."""
        within = self.below and (not self.host or (host.endswith(f".{self.host}") and ip_of(host) is None))
        return self.opens(port) if within else self.names(host, port)

    def opens(self, port: int) -> bool:
        """Return whether it applies to a port."""
        return self.port == ANY or (str(port) == self.port if self.port else port in PORTS.values())


@dataclass(frozen=True, slots=True)
class Allowed:
    """The list of allowed hosts."""

    entries: tuple[AllowedHost, ...] = ()

    def covers(self, address: PageAddress) -> bool:
        """Return whether a host needs no approval."""
        return any(entry.covers(address.host, address.port) for entry in self.entries)

    def names(self, host: str, port: int) -> bool:
        """Return whether a host is listed itself, and not just by a pattern."""
        return any(entry.names(host, port) for entry in self.entries)

    def reaches(self, ip: Ip, address: PageAddress) -> bool:
        """Return whether an address may be connected to for a page.

        A private address must be listed: itself, or a name for it. No name leads to this machine but localhost, and
        none to addresses that only a machine itself should ask.
        """
        if is_public(ip) or self.names(str(ip), address.port):
            return True
        near = is_private(ip) or (is_local(address.host) and is_loopback(ip))
        return near and self.names(address.host, address.port)


def is_local(host: str) -> bool:
    """Return whether a name refers to this machine on any system."""
    return host == "localhost" or host.endswith(".localhost")


def parse_allowlist(lines: Sequence[str]) -> Allowed:
    """Parse the list; raise ConfigError with the invalid line."""
    return Allowed(tuple(map(parse_line, lines)))


def parse_line(line: str) -> AllowedHost:
    """Read one line: a host, ``*.host`` or ``*``, with a port or without."""
    text = line.strip().lower()
    if ip := ip_of(text.strip("[]")):
        return AllowedHost(str(ip))
    name, colon, port = text.rpartition(":") if ":" in text else (text, "", "")
    host = name.strip("[]")
    if host == ANY and is_valid_port(port or ANY):
        return AllowedHost("", port, below=True)
    below, host = host.startswith("*."), to_ascii(host.removeprefix("*.").removesuffix("."))
    ip = None if below else ip_of(host)
    sound = (ip or NAME.fullmatch(host)) and is_valid_port(port if colon else ANY)
    if not sound:
        raise ConfigError(
            f"[tools.fetch] allow: {line!r} is not a valid host. Use one such as docs.python.org, "
            "*.readthedocs.io or 127.0.0.1:8000, "
            "without a scheme or a path."
        )
    return AllowedHost(str(ip) if ip else host, port, below)


def is_valid_port(port: str) -> bool:
    """Return whether this is a port, or any."""
    return port == ANY or (port.isascii() and port.isdigit())


def to_ascii(host: str) -> str:
    """Return a host as the network writes it."""
    if host.isascii():
        return host
    from httpx2 import URL, InvalidURL

    try:
        return URL(f"http://{host}/").raw_host.decode("ascii")
    except InvalidURL:
        return ""
