"""The hosts that a person lists. Knows patterns; knows no network."""

from collections.abc import Sequence
from dataclasses import dataclass

from openkoi_hookspecs import ConfigError

from .address import NAME, PORTS, Ip, PageAddress, ip_of
from .ground import is_loopback, is_private, is_public

ANY = "*"


@dataclass(frozen=True, slots=True)
class AllowedHost:
    """A line of the list; without a ``port`` it applies to the usual ones, and ``below`` includes subdomains."""

    host: str
    port: str = ""
    below: bool = False

    def names(self, host: str, port: int) -> bool:
        """Whether it is this very host."""
        return not self.below and self.host == host and self.opens(port)

    def covers(self, host: str, port: int) -> bool:
        """Whether it is this host, or a pattern that it fits."""
        within = self.below and (not self.host or (host.endswith(f".{self.host}") and ip_of(host) is None))
        return self.opens(port) if within else self.names(host, port)

    def opens(self, port: int) -> bool:
        """Whether it holds for a port."""
        return self.port == ANY or (str(port) == self.port if self.port else port in PORTS.values())


@dataclass(frozen=True, slots=True)
class Allowed:
    """All that is listed."""

    entries: tuple[AllowedHost, ...] = ()

    def covers(self, address: PageAddress) -> bool:
        """Return whether a host needs no approval."""
        return any(entry.covers(address.host, address.port) for entry in self.entries)

    def names(self, host: str, port: int) -> bool:
        """Whether a host is listed itself, and not just by a pattern."""
        return any(entry.names(host, port) for entry in self.entries)

    def reaches(self, ip: Ip, address: PageAddress) -> bool:
        """Whether an address may be connected to for a page.

        What is not public has to be named: itself, or by a name for it. No name leads to this machine but localhost,
        and none to what only a machine itself should ask.
        """
        if is_public(ip) or self.names(str(ip), address.port):
            return True
        near = is_private(ip) or (is_local(address.host) and is_loopback(ip))
        return near and self.names(address.host, address.port)


def is_local(host: str) -> bool:
    """Whether a name stands for this machine, wherever one is."""
    return host == "localhost" or host.endswith(".localhost")


def parse_allowlist(lines: Sequence[str]) -> Allowed:
    """Read the list; raises ConfigError with the line that is none."""
    return Allowed(tuple(map(entry, lines)))


def entry(line: str) -> AllowedHost:
    """Read one line: a host, ``*.host`` or ``*``, with a port or without."""
    text = line.strip().lower()
    if ip := ip_of(text.strip("[]")):
        return AllowedHost(str(ip))
    name, colon, port = text.rpartition(":") if ":" in text else (text, "", "")
    host = name.strip("[]")
    if host == ANY and usable(port or ANY):
        return AllowedHost("", port, below=True)
    below, host = host.startswith("*."), in_ascii(host.removeprefix("*.").removesuffix("."))
    ip = None if below else ip_of(host)
    sound = (ip or NAME.fullmatch(host)) and usable(port if colon else ANY)
    if not sound:
        raise ConfigError(
            f"[tools.fetch] allow: {line!r} is no host. Write docs.python.org, *.readthedocs.io or 127.0.0.1:8000, "
            "without a scheme or a path."
        )
    return AllowedHost(str(ip) if ip else host, port, below)


def usable(port: str) -> bool:
    """Whether this is a port, or any."""
    return port == ANY or (port.isascii() and port.isdigit())


def in_ascii(host: str) -> str:
    """A host as the network writes it."""
    if host.isascii():
        return host
    from httpx2 import URL, InvalidURL

    try:
        return URL(f"http://{host}/").raw_host.decode("ascii")
    except InvalidURL:
        return ""
