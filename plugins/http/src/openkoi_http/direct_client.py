"""Send requests over a connection without httpx2, which takes half of a step's time, and as long to import."""

from collections.abc import AsyncGenerator, Mapping
from typing import TYPE_CHECKING

from .api_request import ApiRequest
from .connection import Connection
from .http_body import Body, Unpacker, body_of
from .http_head import ResponseHead, take_head
from .network_errors import NetworkError
from .origin import Origin

if TYPE_CHECKING:
    from ssl import SSLContext

SMALL_BODY_BYTES = 64 * 1024  # that are sent together with the head
NO_RESPONSE = "the connection was closed before a response came"


class DirectClient:
    """A connection to a server, opened with the first request and again whenever it was closed."""

    def __init__(self, origin: Origin, seconds: float, tls: "SSLContext | None") -> None:
        self._origin = origin
        self._seconds = seconds
        self._tls = tls
        self._connection: Connection | None = None

    async def send(self, request: ApiRequest) -> "DirectResponse":
        """Send a request; return the response once its headers have arrived."""
        head, body = self._origin.head_of(request), request.body or b""
        connection = await self._connect()
        try:
            if len(body) > SMALL_BODY_BYTES:
                connection.write(head)
                connection.write(body)
            else:
                connection.write(head + body)
            found = await read_head(connection)
            return DirectResponse(connection, found, body_of(found, request.method))
        except BaseException:  # the rest of a response may still come
            connection.abort()
            raise

    async def _connect(self) -> Connection:
        if self._connection is None or not self._connection.is_fresh:
            await self.aclose()
            origin = self._origin
            self._connection = await Connection.open(origin.host, origin.port, tls=self._tls, seconds=self._seconds)
        return self._connection

    async def aclose(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.aclose()


async def read_head(connection: Connection) -> ResponseHead:
    """Wait for the head of a response; skip informational ones (1xx)."""
    while True:
        head = take_head(connection.buffer)
        if head is None:
            if not await connection.more():
                raise NetworkError(NO_RESPONSE)
        elif not head.is_informational:
            return head


class DirectResponse:
    """A response whose body is read from the connection."""

    is_stream_consumed = False

    def __init__(self, connection: Connection, head: ResponseHead, body: Body) -> None:
        self._connection = connection
        self._head = head
        self._body = body

    @property
    def status_code(self) -> int:
        """The status."""
        return self._head.status

    @property
    def is_success(self) -> bool:
        """Whether the status is one of success."""
        return 200 <= self._head.status < 300

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, by names in lower case."""
        return self._head.headers

    async def aiter_raw(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it arrives."""
        while not self._body.over:
            if piece := self._body.take(self._connection.buffer):
                yield piece
            elif not self._body.over and not await self._connection.more():
                self._body.end()

    async def aiter_bytes(self) -> AsyncGenerator[bytes, None]:
        """Yield the body, decompressed."""
        unpacker = Unpacker(self.headers.get("content-encoding", ""))
        async for piece in self.aiter_raw():
            for unpacked in unpacker.feed(piece):
                yield unpacked

    async def aclose(self) -> None:
        """Keep the connection open if the body was read to its end; otherwise close it."""
        if not (self._body.over and self._head.keeps_alive and self._head.status >= 200):
            await self._connection.aclose()
