"""The way to the vendor: address, key, and errors read in the vendor's own words. Knows no models and no messages."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from openkoi_hookspecs import NoProviderError, ProviderError, ProviderUnavailableError
from openkoi_wire import Bounds, Server, Wire, replays

from .troubles import error_of, trouble

OFFICIAL = "https://generativelanguage.googleapis.com"
VERSION = "v1beta"
VERSIONED = re.compile(r"(?<!/)/v\d+\w*$")
WAITS = ("retry-after", "retry-after-ms")


def explained(server: Server, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError | None:
    """Read what the vendor says in the details of an error: delays, quotas, reasons. None: nothing of its own."""
    error = error_of(trouble(body), server, status)
    return None if isinstance(error, ProviderUnavailableError) and any(name in headers for name in WAITS) else error


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Where to go, with which key, and how patiently."""

    key: str
    base_url: str
    idle_seconds: float
    cassette: str
    transport: object | None

    def door(self) -> Wire:
        """Make the door; raises ConfigError when the key is missing that the vendor wants."""
        if not self.key and self.base_url.startswith(OFFICIAL) and not replays(self.cassette):
            raise NoProviderError(
                "Google needs a key. Set GOOGLE_API_KEY or GEMINI_API_KEY, "
                "or GOOGLE_GEMINI_BASE_URL to use another server."
            )
        return Wire(
            versioned(self.base_url),
            headers={"x-goog-api-key": self.key} if self.key else {},
            bounds=Bounds(idle=self.idle_seconds),
            explain=explained,
            cassette=self.cassette,
            transport=self.transport,
        )


def versioned(base_url: str) -> str:
    """Complete a base URL that does not say which version of the protocol is spoken."""
    plain = base_url.strip().rstrip("/")
    return plain if VERSIONED.search(plain) else f"{plain}/{VERSION}"


def resource(name: str) -> str:
    """Name a model as the vendor does; one that was tuned already has a collection of its own."""
    return name if "/" in name else f"models/{name}"


def path_of(name: str, verb: str = "") -> str:
    """Return the path of a model, and of what is to be done with it."""
    return f"/{quote(resource(name))}{verb}"
