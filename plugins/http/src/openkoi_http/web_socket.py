"""Keep a WebSocket open, and detect within a minute if it is dead."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self
from urllib.parse import urlsplit

from openkoi_hookspecs import AppUnavailableError, ConfigError, KoiError

from .authorities import load_authorities
from .direct_socket import MAX_MESSAGE_BYTES, OPEN_SECONDS, open_socket
from .network_errors import cause_of
from .origin import find_origin, is_plain
from .other_scheme import may_be_proxied
from .server import is_loopback

if TYPE_CHECKING:
    from ssl import SSLContext

PING_SECONDS = 20.0  # a dead socket is found after 40 s
HEADERS = {"User-Agent": "openkoi"}


class Session(Protocol):
    """An open connection."""

    async def receive_text(self) -> str:
        """Wait for the next message."""

    async def send_text(self, text: str) -> None:
        """Send a message."""


class WebSocket:
    """A connection to one address, open while it is entered. It runs in its own task, so that any task may use it.

    Every network failure is an AppUnavailableError, which calls the connection ``name``. After ``ping_seconds``
    of silence a ping is sent, and must be answered in the same time. httpx2 is imported if a proxy may be used.
    """

    def __init__(self, url: str, *, name: str, ping_seconds: float = PING_SECONDS) -> None:
        self.url, self.name, self.ping_seconds = url, name, ping_seconds
        self._received: asyncio.Queue[str | KoiError] = asyncio.Queue()
        self._opened: asyncio.Future[Session] = asyncio.get_running_loop().create_future()

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        first: set[asyncio.Future[Any]] = {self._opened, self._task}
        try:
            async with asyncio.timeout(OPEN_SECONDS):
                await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        except BaseException as error:
            self._task.cancel()
            if not isinstance(error, TimeoutError):
                raise
            raise AppUnavailableError(f"{self.name} did not open its WebSocket in time.") from None
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
        if isinstance(item, KoiError):
            self._received.put_nowait(item)  # it stays over
            raise item
        return item

    async def send(self, text: str) -> None:
        """Send a message."""
        try:
            await (await self._opened).send_text(text)
        except Exception as error:  # ours, or of anyio, httpcore2 or wsproto, by how the connection broke
            raise self._failure(error) from None

    async def _run(self) -> None:
        """Receive until the connection is over; return why it ended."""
        try:
            await self._receive_all()
        except Exception as error:  # groups of errors of anyio, httpcore2 or wsproto, by how the connection broke
            self._received.put_nowait(error if isinstance(error, KoiError) else self._failure(error))

    async def _receive_all(self) -> None:
        async with self._open() as session:
            self._opened.set_result(session)
            while True:
                self._received.put_nowait(await session.receive_text())

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[Session]:
        url = urlsplit(self.url)
        is_local, is_tls = is_loopback(url.hostname or ""), url.scheme in ("wss", "https")
        ssl_context = load_authorities() if is_tls else None
        base_url = f"{'https' if is_tls else 'http'}://{url.netloc}"
        path = f"{url.path or '/'}{f'?{url.query}' if url.query else ''}"
        direct = is_local or not may_be_proxied(base_url)
        origin = find_origin(base_url, HEADERS) if direct and is_plain(path) else None
        if origin is None:
            opening = self._open_httpx(ssl_context, trust_env=not is_local)
        else:
            opening = open_socket(origin, path, tls=ssl_context, ping_seconds=self.ping_seconds)
        async with opening as session:
            yield session

    @asynccontextmanager
    async def _open_httpx(self, ssl_context: "SSLContext | None", *, trust_env: bool) -> AsyncIterator[Session]:
        """Open the WebSocket with httpx2, through a proxy or to an address that is not plain."""
        if find_spec("wsproto") is None:
            raise ConfigError("WebSockets need wsproto. Run `pip install 'httpx2[ws]'`.")
        from ssl import PROTOCOL_TLS_CLIENT, SSLContext

        from httpx2 import AsyncClient

        verify = ssl_context or SSLContext(PROTOCOL_TLS_CLIENT)
        async with (
            AsyncClient(trust_env=trust_env, verify=verify) as client,
            client.websocket(
                self.url,
                max_message_size_bytes=MAX_MESSAGE_BYTES,
                keepalive_ping_interval_seconds=self.ping_seconds,
                keepalive_ping_timeout_seconds=self.ping_seconds,
            ) as session,
        ):
            yield session

    def _failure(self, error: Exception) -> AppUnavailableError:
        first: BaseException = error
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        return AppUnavailableError(f"The WebSocket of {self.name} is closed ({cause_of(first)}).")
