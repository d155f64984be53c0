"""Parse the server that a user enters: an address, and perhaps a key.

A possible key is recognized before anything is shown or sent, and no message repeats the input.
"""

import re
from collections.abc import Sequence
from dataclasses import field
from ipaddress import ip_address
from urllib.parse import urlsplit

from openkoi_hookspecs import ConfigError, Json
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

EXAMPLE = "Example: http://localhost:8080/v1"
KEY_FIRST = f"That looks like an API key; it was not sent anywhere. Enter the address first, then the key. {EXAMPLE}"
MIN_KEY_LENGTH = 24  # characters; host names are rarely that long without a dot (estimate)
KEY_BEGINS = lazy_pattern(r"(sk|pk|rk|gsk|xai|ghp)[-_]|AIza|eyJ")
SEPARATOR = lazy_pattern(r"[.:/]")
VERSIONED = lazy_pattern(r"/v\d+\w*$")
PASSWORD = lazy_pattern(r"[^/@\s]+(?=@)")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """A server, and its key if one was entered."""

    url: str
    key: str = field(default="", repr=False)

    @property
    def printable(self) -> str:
        """The address without login and query, which may be secret."""
        parts = urlsplit(self.url)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def parse_address(line: str) -> ServerAddress:
    """Parse ``URL [key]``; the default scheme is https, or http for a local address. Raises ConfigError."""
    url, *key = line.split(maxsplit=1) or [""]
    if not url:
        raise ConfigError(f"No address entered. {EXAMPLE}")
    if looks_like_key(url):
        raise ConfigError(KEY_FIRST)
    if not looks_like_address(url):
        raise ConfigError(f"That is not a web address. {EXAMPLE}")
    if "://" not in url:
        url = f"{'http' if is_local(url) else 'https'}://{url}"
    return ServerAddress(url.rstrip("/"), "".join(key).strip())


def looks_like_key(word: str) -> bool:
    """Return whether a word is more likely a key than an address."""
    _, scheme, rest = word.rpartition("://")
    name = SEPARATOR.split(rest)[0]
    begins, bare = bool(KEY_BEGINS.match(name)), name == rest
    if scheme:
        return begins and bare
    return begins or (len(name) >= MIN_KEY_LENGTH and (bare or any(map(str.isdigit, name))))


def looks_like_address(word: str) -> bool:
    """Return whether a word can be a web address; a bare word cannot, except localhost."""
    if not word.isprintable() or (word != "localhost" and not SEPARATOR.search(word)):
        return False
    try:
        parts = urlsplit(word if "://" in word else f"//{word}")
        return parts.scheme in ("http", "https", "") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def is_local(url: str) -> bool:
    """Return whether an address without a scheme is on this machine or its private network."""
    host = urlsplit(f"//{url}").hostname or ""
    try:
        return ip_address(host).is_private
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local"))


def candidate_urls(url: str) -> Sequence[str]:
    """Return the possible URLs of the API: the given one and the one with ``/v1``, which is first for a bare server."""
    if VERSIONED.search(url):
        return [url]
    under = f"{url}/v1"
    return [url, under] if urlsplit(url).path else [under, url]


def parse_model_names(listing: Json) -> Sequence[str]:
    """Return the models of a list in OpenAI's format, or none."""
    entries = listing.get("data") if isinstance(listing, dict) else listing
    found = [entry.get("id") for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return [name for name in found if isinstance(name, str) and name and name.isprintable()]


def mask_input(text: str) -> str:
    """Return the text with stars for everything but the address."""
    lead = len(text) - len(text.lstrip())
    word = "".join(text.split(maxsplit=1)[:1])
    shown = lead + (0 if looks_like_key(word) else len(word))
    return PASSWORD.sub(mask_match, text[:shown]) + "".join(" " if sign == " " else "*" for sign in text[shown:])


def mask_match(found: re.Match[str]) -> str:
    """Return as many stars as there are characters."""
    return "*" * len(found[0])
