"""A request to one server, and the protocols of clients and responses; each client has one connection."""

from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Protocol

from openkoi_hookspecs.lazy_dataclass import dataclass

from .server import check_header

Sign = Callable[[str, str, bytes], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """A request for a path below the base URL; ``sign`` returns more headers for its method, URL and body."""

    method: str
    path: str
    body: bytes | None = None
    content_type: str = "application/json"
    sign: Sign | None = None

    def headers_for(self, url: str) -> dict[str, str]:
        """Return the headers that only this request needs, given its URL."""
        own = {} if self.body is None else {"Content-Type": self.content_type}
        added = self.sign(self.method, url, self.body or b"") if self.sign else {}
        for name, value in added.items():
            check_header(name, value)
        return {**own, **added}


class Response(Protocol):
    """A response whose body is not read yet."""

    @property
    def status_code(self) -> int:
        """The status."""

    @property
    def is_success(self) -> bool:
        """Whether the status is one of success."""

    @property
    def is_stream_consumed(self) -> bool:
        """Whether the body was read already, as in a replay."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, by names in lower case."""

    def aiter_raw(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it arrives."""

    def aiter_bytes(self) -> AsyncGenerator[bytes, None]:
        """Yield the body, decompressed."""

    async def aclose(self) -> None:
        """Keep the connection open if the body was read to its end; otherwise close it."""


class Client(Protocol):
    """A connection, for one request at a time."""

    async def send(self, request: ApiRequest) -> Response:
        """Send a request; return the response once its headers have arrived."""

    async def aclose(self) -> None:
        """Close the connection."""
