"""Keep a WebSocket over a connection of its own, without httpx2, which takes a third of a daemon's memory."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha1
from secrets import token_bytes
from typing import TYPE_CHECKING

from .api_request import ApiRequest
from .connection import CLOSED, Connection
from .direct_client import read_head
from .network_errors import NetworkError
from .origin import Origin
from .socket_frames import CLOSE, PING, PONG, TEXT, MessageParser, encode_frame

if TYPE_CHECKING:
    from ssl import SSLContext

OPEN_SECONDS = 20.0
MAX_MESSAGE_BYTES = 16_000_000  # an envelope of Slack's mock has 67 KB, httpx2's default limit is 64 KiB
SERVER_ID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455
GOING = (1000).to_bytes(2, "big")  # RFC 6455: nothing is wrong


class DirectSocket:
    """An open WebSocket. After ``ping_seconds`` of silence a ping is sent, and must be answered in the same time."""

    def __init__(self, connection: Connection, ping_seconds: float) -> None:
        self._connection = connection
        self._ping_seconds = ping_seconds
        self._parser = MessageParser(MAX_MESSAGE_BYTES)

    async def receive_text(self) -> str:
        """Wait for the next message; raise NetworkError once the connection is over."""
        while True:
            match self._parser.take(self._connection.buffer):
                case None:
                    await self._wait()
                case (kind, data) if kind == TEXT:
                    return decode(data)
                case (kind, data) if kind == PING:
                    self._connection.write(encode_frame(PONG, data))
                case (kind, data) if kind == CLOSE:
                    self._connection.write(encode_frame(CLOSE, data[:2]))
                    raise NetworkError("the server closed it")

    async def _wait(self) -> None:
        """Wait for bytes; after a silence, send one ping."""
        for _ in range(2):
            try:
                async with asyncio.timeout(self._ping_seconds):
                    if await self._connection.more():
                        return
            except TimeoutError:
                self._connection.write(encode_frame(PING, b""))
            else:
                raise NetworkError(CLOSED)
        raise NetworkError("the server did not answer a ping")

    async def send_text(self, text: str) -> None:
        """Send a message; raise NetworkError if the connection is over."""
        if self._connection.is_over:
            raise NetworkError(CLOSED)
        self._connection.write(encode_frame(TEXT, text.encode()))


def decode(data: bytes) -> str:
    """Return the text of a message; raise NetworkError if it is not text."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise NetworkError("it sent text that is not UTF-8") from None


@asynccontextmanager
async def open_socket(
    origin: Origin, path: str, *, tls: "SSLContext | None", ping_seconds: float
) -> AsyncIterator[DirectSocket]:
    """Open a WebSocket at a path that is plain; raises NetworkError."""
    connection = await Connection.open(origin.host, origin.port, tls=tls, seconds=OPEN_SECONDS)
    try:
        await shake_hands(connection, origin, path)
        try:
            yield DirectSocket(connection, ping_seconds)
        finally:
            connection.write(encode_frame(CLOSE, GOING))
    finally:
        connection.abort()


async def shake_hands(connection: Connection, origin: Origin, path: str) -> None:
    """Ask for a WebSocket; raise NetworkError if it is refused."""
    key = b64encode(token_bytes(16)).decode()
    own = {"connection": "Upgrade", "upgrade": "websocket", "sec-websocket-key": key, "sec-websocket-version": "13"}
    connection.write(origin._replace(headers={**origin.headers, **own}).head_of(ApiRequest("GET", path)))
    head = await read_head(connection)
    if head.status != 101:
        raise NetworkError(f"the server answered with status {head.status}")
    expected = b64encode(sha1(f"{key}{SERVER_ID}".encode()).digest()).decode()
    if head.headers.get("sec-websocket-accept") != expected:
        raise NetworkError("the server did not accept the WebSocket")
