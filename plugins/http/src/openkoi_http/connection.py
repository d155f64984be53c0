"""A connection over which one request at a time is sent."""

import asyncio
import select
from typing import Self

from .network_errors import NetworkError, UnreachableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ssl import SSLContext

MAX_BUFFERED_BYTES = 256 * 1024  # above which the server has to wait
FIRST_ADDRESS_SECONDS = 0.25  # before a name's next address is tried, too (RFC 8305)
CLOSED = "the connection was closed"


class Connection(asyncio.Protocol):
    """Received bytes stay in ``buffer`` until they are taken. Only one task at a time may call its methods."""

    def __init__(self) -> None:
        self.buffer = bytearray()
        self._loop = asyncio.get_running_loop()
        self._closed = self._loop.create_future()
        self._waiter: asyncio.Future[None] | None = None
        self._error: Exception | None = None
        self._ended = self._paused = False

    @classmethod
    async def open(cls, host: str, port: int, *, tls: "SSLContext | None", seconds: float) -> Self:
        """Open a connection; raises UnreachableError."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(seconds):
                _, connection = await loop.create_connection(
                    cls, host, port, ssl=tls, happy_eyeballs_delay=FIRST_ADDRESS_SECONDS
                )
        except TimeoutError:
            raise UnreachableError(f"no answer within {seconds:g} s") from None
        except OSError as error:  # those of TLS are of this kind, too
            raise UnreachableError(str(error)) from error
        return connection

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep what sends."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Buffer received bytes; let the server wait while the buffer is full."""
        self.buffer += data
        if len(self.buffer) > MAX_BUFFERED_BYTES and not self._paused:
            self._paused = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        """Record that nothing more will arrive."""
        self._ended = True
        self._wake()

    def connection_lost(self, error: Exception | None) -> None:
        """Record why nothing more will arrive."""
        self._ended, self._error = True, error
        if not self._closed.done():
            self._closed.set_result(None)
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def write(self, data: bytes) -> None:
        """Send bytes."""
        self._transport.write(data)

    async def more(self) -> bool:
        """Wait for more bytes; return False if none will arrive. Raises NetworkError if the connection broke."""
        if self._ended:
            if self._error:
                raise NetworkError(f"{CLOSED}: {self._error}") from self._error
            return False
        if self._paused:
            self._paused = False
            self._transport.resume_reading()
        self._waiter = self._loop.create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None
        return True

    @property
    def is_over(self) -> bool:
        """Whether the connection is closed for sending."""
        return self._ended or self._transport.is_closing()

    @property
    def is_fresh(self) -> bool:
        """Whether a request can be sent: the server neither closed the connection nor sent anything unasked."""
        if self.is_over or self.buffer:
            return False
        if self._loop is not asyncio.get_running_loop():
            return False
        return not is_readable(self._transport.get_extra_info("socket").fileno())

    async def aclose(self) -> None:
        """Close the connection at once, unless it was closed with its event loop."""
        if self._loop is asyncio.get_running_loop():
            self._transport.abort()
            await asyncio.shield(self._closed)

    def abort(self) -> None:
        """Close the connection at once, without waiting until it is."""
        self._transport.abort()


def is_readable(file: int) -> bool:
    """Return whether anything has arrived, even just the end, that the event loop may not have noticed."""
    if file < 0:
        return True
    if not hasattr(select, "poll"):
        return bool(select.select([file], [], [], 0)[0])
    poll = select.poll()
    poll.register(file, select.POLLIN)
    return bool(poll.poll(0))
