"""Parse the server that a user enters: an address, and perhaps a key.

A possible key is recognized before anything is shown or sent, and no message repeats the input.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from openkoi_hookspecs import ConfigError, Json

EXAMPLE = "One looks like http://localhost:8080/v1"
KEY_FIRST = f"That looks like a key; it was not sent anywhere. The address comes first, then the key. {EXAMPLE}"
LONG = 24
KEY_BEGINS = re.compile(r"(sk|pk|rk|gsk|xai|ghp)[-_]|AIza|eyJ")
PARTED = re.compile(r"[.:/]")
VERSIONED = re.compile(r"/v\d+\w*$")
PASSWORD = re.compile(r"[^/@\s]+(?=@)")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """A server, and the key that it wants, if one was given."""

    url: str
    key: str = field(default="", repr=False)

    @property
    def printable(self) -> str:
        """Address without login and query, which may be secret."""
        parts = urlsplit(self.url)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def address_in(line: str) -> ServerAddress:
    """``URL [key]``; without a scheme it is https, and http for what is on this machine. Else raises ConfigError."""
    url, *key = line.split(maxsplit=1) or [""]
    if not url:
        raise ConfigError(f"No address was given. {EXAMPLE}")
    if like_a_key(url):
        raise ConfigError(KEY_FIRST)
    if not like_an_address(url):
        raise ConfigError(f"That is not a web address. {EXAMPLE}")
    if "://" not in url:
        url = f"{'http' if local(url) else 'https'}://{url}"
    return ServerAddress(url.rstrip("/"), "".join(key).strip())


def like_a_key(word: str) -> bool:
    """Whether a word is rather a key than an address; one that begins with a scheme rarely is."""
    _, scheme, rest = word.rpartition("://")
    name = PARTED.split(rest)[0]
    begins, bare = bool(KEY_BEGINS.match(name)), name == rest
    if scheme:
        return begins and bare
    return begins or (len(name) >= LONG and (bare or any(map(str.isdigit, name))))


def like_an_address(word: str) -> bool:
    """Whether a word can be a web address; a single bare word is none, unless it is this machine."""
    if not word.isprintable() or (word != "localhost" and not PARTED.search(word)):
        return False
    try:
        parts = urlsplit(word if "://" in word else f"//{word}")
        return parts.scheme in ("http", "https", "") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def local(url: str) -> bool:
    """Whether an address without a scheme is one of this machine or its own network."""
    host = urlsplit(f"//{url}").hostname or ""
    try:
        return ip_address(host).is_private
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local"))


def bases(url: str) -> Sequence[str]:
    """Where the API may begin: where it was said, and under ``/v1``, first if only a server was named."""
    if VERSIONED.search(url):
        return [url]
    under = f"{url}/v1"
    return [url, under] if urlsplit(url).path else [under, url]


def names_in(listing: Json) -> Sequence[str]:
    """Return the models of a list in OpenAI's format, or none."""
    entries = listing.get("data") if isinstance(listing, dict) else listing
    found = [entry.get("id") for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return [name for name in found if isinstance(name, str) and name and name.isprintable()]


def mask_input(text: str) -> str:
    """Return the text with stars for everything but the address."""
    lead = len(text) - len(text.lstrip())
    word = "".join(text.split(maxsplit=1)[:1])
    shown = lead + (0 if like_a_key(word) else len(word))
    return PASSWORD.sub(stars, text[:shown]) + "".join(" " if sign == " " else "*" for sign in text[shown:])


def stars(found: re.Match[str]) -> str:
    """As many stars as there are characters."""
    return "*" * len(found[0])
