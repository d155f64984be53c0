"""Match addresses against a pattern such as ``https://api.example.com/*``.

An address that two programs could read in two ways is refused: one with a user's name, a backslash, a control or
non-ASCII character, or a path that leaves its folder, encoded or not.
"""

import re
from urllib.parse import SplitResult, unquote, urlsplit

from openkoi_hookspecs import ConfigError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .path_grants import translate_stars

MAX_ADDRESS = 8_192  # characters; most servers refuse a longer one
PORTS = {"http": 80, "https": 443}
VALID_HOST = re.compile(r"\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\]")
AMBIGUOUS = re.compile(r"[^\x21-\x7e]|\\")
ENCODED_SEPARATOR = re.compile(r"%(2f|5c|00)", re.IGNORECASE)
INVALID = '{pattern!r} is not an address pattern. Write one like "https://api.example.com/*".'


@dataclass(frozen=True, slots=True)
class UrlPattern:
    """A scheme, a host, a port and a path; ``*`` matches any text, ``*.example.com`` all subdomains."""

    scheme: str
    host: str
    port: int
    path: str

    @classmethod
    def parse(cls, pattern: str) -> "UrlPattern":
        """Return a pattern; raise ConfigError for an invalid text."""
        parts = split_address(pattern)
        if parts is None or parts.query or parts.fragment or not VALID_HOST.fullmatch(host_of(parts)):
            raise ConfigError(INVALID.format(pattern=pattern[:200]))
        return cls(parts.scheme, host_of(parts), port_of(parts), parts.path or "/")

    def matches(self, url: str) -> bool:
        """Return whether an address matches the pattern; a query may follow its path."""
        parts = split_address(url)
        if parts is None or (parts.scheme, port_of(parts)) != (self.scheme, self.port):
            return False
        if leaves_its_folder(parts.path) or not matches_host(self.host, host_of(parts)):
            return False
        return re.fullmatch(translate_stars(self.path, "."), parts.path or "/") is not None


def split_address(url: str) -> SplitResult | None:
    """Return the parts of an unambiguous address; None for any other text."""
    if len(url) > MAX_ADDRESS or AMBIGUOUS.search(url):
        return None
    try:
        parts = urlsplit(url)
        valid = parts.scheme in PORTS and parts.hostname and "@" not in parts.netloc and port_of(parts)
    except ValueError:
        return None
    return parts if valid else None


def host_of(parts: SplitResult) -> str:
    """Return the host in lower case, without the dot that may end it."""
    host = (parts.hostname or "").removesuffix(".")
    return f"[{host}]" if ":" in host else host


def port_of(parts: SplitResult) -> int:
    return parts.port or PORTS[parts.scheme]


def matches_host(pattern: str, host: str) -> bool:
    """Return whether a host matches a pattern's host, or is a subdomain if the pattern starts with a star."""
    return pattern in ("*", host) or (pattern.startswith("*.") and host.endswith(pattern[1:]) and host != pattern[1:])


def leaves_its_folder(path: str) -> bool:
    """Return whether a path has a segment that a server may resolve, or a separator that it may decode.

    Some servers first remove what follows a semicolon in a segment.
    """
    names = (unquote(one).partition(";")[0] for one in path.split("/"))
    return bool(ENCODED_SEPARATOR.search(path)) or any(one in (".", "..") for one in names)
