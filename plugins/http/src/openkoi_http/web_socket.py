"""Keep a WebSocket open, and find out within a minute that it is dead."""

import asyncio
from importlib.util import find_spec
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from openkoi_hookspecs import AppUnavailableError, ConfigError

from .authorities import load_authorities
from .server import is_loopback

if TYPE_CHECKING:
    from httpx2.websockets import AsyncWebSocketSession

MAX_MESSAGE_BYTES = 16_000_000  # an envelope of Slack's mock has 67 KB, httpx2's default limit is 64 KiB
PING_SECONDS = 20.0  # a dead socket is found after 40 s
OPEN_SECONDS = 20.0


class WebSocket:
    """A connection to one address, open while it is entered. It lives in a task of its own, so that any may use it.

    Every failure is an AppUnavailableError; ``name`` is what it is called there. A ping is sent every ``ping_seconds``,
    and its answer awaited so long.
    """

    def __init__(self, url: str, *, name: str, ping_seconds: float = PING_SECONDS) -> None:
        self.url, self.name, self.ping_seconds = url, name, ping_seconds
        self._received: asyncio.Queue[str | AppUnavailableError] = asyncio.Queue()
        self._opened: asyncio.Future[AsyncWebSocketSession] = asyncio.get_running_loop().create_future()

    async def __aenter__(self) -> Self:
        if find_spec("wsproto") is None:
            raise ConfigError("WebSockets need wsproto. Run `pip install 'httpx2[ws]'`.")
        self._task = asyncio.create_task(self._run())
        first: set[asyncio.Future[Any]] = {self._opened, self._task}
        try:
            async with asyncio.timeout(OPEN_SECONDS):
                await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        except BaseException as error:
            self._task.cancel()
            if not isinstance(error, TimeoutError):
                raise
            raise AppUnavailableError(f"{self.name} did not open its socket in time.") from None
        if not self._opened.done():
            await self.receive()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def receive(self) -> str:
        """Wait for the next message; raise AppUnavailableError once the connection is over."""
        item = await self._received.get()
        if isinstance(item, AppUnavailableError):
            self._received.put_nowait(item)  # it stays over
            raise item
        return item

    async def send(self, text: str) -> None:
        """Send a message."""
        try:
            await (await self._opened).send_text(text)
        except Exception as error:  # of anyio, httpcore2 or wsproto, by how the connection broke
            raise self._failure(error) from None

    async def _run(self) -> None:
        """Receive until the connection is over; say why."""
        try:
            await self._receive_all()
        except Exception as error:  # groups of errors of anyio, httpcore2 or wsproto, by how the connection broke
            self._received.put_nowait(self._failure(error))

    async def _receive_all(self) -> None:
        from ssl import PROTOCOL_TLS_CLIENT, SSLContext

        from httpx2 import AsyncClient

        is_local = is_loopback(urlsplit(self.url).hostname or "")
        verify = load_authorities() if self.url.startswith("wss:") else SSLContext(PROTOCOL_TLS_CLIENT)
        async with (
            AsyncClient(trust_env=not is_local, verify=verify) as client,
            client.websocket(
                self.url,
                max_message_size_bytes=MAX_MESSAGE_BYTES,
                keepalive_ping_interval_seconds=self.ping_seconds,
                keepalive_ping_timeout_seconds=self.ping_seconds,
            ) as session,
        ):
            self._opened.set_result(session)
            while True:
                self._received.put_nowait(await session.receive_text())

    def _failure(self, error: Exception) -> AppUnavailableError:
        first: BaseException = error
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        return AppUnavailableError(f"The socket of {self.name} is closed ({type(first).__name__}).")
