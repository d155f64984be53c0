"""Read what a person types for a server: an address, and perhaps a key. Knows addresses; asks nobody."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from openkoi_hookspecs import Json


@dataclass(frozen=True, slots=True)
class Address:
    """A server, and the key that it wants, if one was given."""

    url: str
    key: str = field(default="", repr=False)


def address_in(line: str) -> Address:
    """``URL [key]``; without a scheme it is https, and http for what is on this machine."""
    url, _, key = line.strip().partition(" ")
    if url and "://" not in url:
        url = f"{'http' if local(url) else 'https'}://{url}"
    return Address(url.rstrip("/"), key.strip())


def local(url: str) -> bool:
    """Whether an address without a scheme is one of this machine or its own network."""
    host = urlsplit(f"//{url}").hostname or ""
    try:
        return ip_address(host).is_private
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local"))


def bases(url: str) -> Sequence[str]:
    """Where the API may begin: where it was said, and under ``/v1`` when only a server was named."""
    return [url] if urlsplit(url).path else [f"{url}/v1", url]


def names_in(listing: Json) -> Sequence[str]:
    """The models of a list as OpenAI writes it; none when it is no list."""
    entries = listing.get("data") if isinstance(listing, dict) else listing
    found = [entry.get("id") for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return [name for name in found if isinstance(name, str) and name and name.isprintable()]
