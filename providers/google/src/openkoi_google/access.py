"""Connect to Google: base URL, key, and the vendor's error details."""

from collections.abc import Mapping
from urllib.parse import quote

from openkoi_hookspecs import NoProviderError, ProviderError, ProviderUnavailableError
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_http import ApiClient, ResponseLimits, Server, is_replay

from .errors import parse_error, to_provider_error

OFFICIAL_URL = "https://generativelanguage.googleapis.com"
API_VERSION = "v1beta"
VERSION_SUFFIX = lazy_pattern(r"(?<!/)/v\d+\w*$")
RETRY_HEADERS = ("retry-after", "retry-after-ms")


def explain_error(server: Server, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError | None:
    """Return the error described by the vendor's error details, or None when there are none."""
    error = to_provider_error(parse_error(body), server, status)
    return (
        None
        if isinstance(error, ProviderUnavailableError) and any(name in headers for name in RETRY_HEADERS)
        else error
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GoogleAccess:
    """Base URL, key and timeout of a connection to Google."""

    key: str
    base_url: str
    idle_seconds: float
    cassette: str
    transport: object | None

    def open_client(self) -> ApiClient:
        """Return a client; raise NoProviderError when a required key is missing."""
        if not self.key and self.base_url.startswith(OFFICIAL_URL) and not is_replay(self.cassette):
            raise NoProviderError(
                "Google needs a key. Set GOOGLE_API_KEY or GEMINI_API_KEY, "
                "or GOOGLE_GEMINI_BASE_URL to use another server."
            )
        return ApiClient(
            add_version(self.base_url),
            headers={"x-goog-api-key": self.key} if self.key else {},
            bounds=ResponseLimits(idle_seconds=self.idle_seconds),
            explain=explain_error,
            cassette=self.cassette,
            transport=self.transport,
        )


def add_version(base_url: str) -> str:
    """Return a base URL with an API version."""
    plain = base_url.strip().rstrip("/")
    return plain if VERSION_SUFFIX.search(plain) else f"{plain}/{API_VERSION}"


def resource_name(name: str) -> str:
    """Return a model's resource name; a tuned model already has a collection."""
    return name if "/" in name else f"models/{name}"


def path_of(name: str, verb: str = "") -> str:
    """Return the path of a method of a model."""
    return f"/{quote(resource_name(name))}{verb}"
