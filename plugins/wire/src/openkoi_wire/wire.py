"""The one HTTP door: requests out as ready bytes, answers in piece by piece, within bounds.

Knows deadlines, sizes and what a failure means. Knows no vendor's format, and asks nothing twice: retrying is the
kernel's.
"""

import json
from asyncio import sleep, timeout
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from openkoi_hookspecs import Json, ProviderError, ProviderUnavailableError

from .blank import LONGEST_BLANK, is_blank
from .bounds import Bounds
from .cassette import inserted
from .failures import failure
from .framing import Framing
from .patience import Patience, Silence
from .pool import Pool
from .server import Server, server_of
from .wrong_server import PAGE, is_web_page, not_trusted

if TYPE_CHECKING:
    from httpx2 import URL, AsyncClient, Request, Response

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

Sign = Callable[[str, str, bytes], Mapping[str, str]]
Explain = Callable[[Server, int, Mapping[str, str], bytes], ProviderError | None]

LINGER = 0.2
LARGE = 64 * 1024
NO_HEADERS: Mapping[str, str] = {}


class Reading(Protocol[T_co]):
    """Makes sense of an answer as it comes in. One object reads one answer."""

    @property
    def over(self) -> bool:
        """Whether the answer said that it is complete: what follows is not read."""

    def event(self, data: str) -> Sequence[T_co] | None:
        """Read an event of a stream. None: there was nothing new in it, it only keeps the connection alive."""

    def document(self, data: bytes) -> Sequence[T_co]:
        """Read an answer that came whole, although a stream was asked for."""


class Wire:
    """A pool of connections to one server. Opened when it is first used; may be used again after it was closed.

    ``sign`` makes further headers of a request's method, whole address and body. ``explain`` reads a vendor's own words
    in an error's status, headers and body; what it leaves is read as vendors have it in common. ``cassette`` is
    ``record:FILE`` or ``replay:FILE``. ``transport`` is a seam for tests: an ``httpx2.AsyncBaseTransport`` in place of
    the network.
    """

    def __init__(
        self,
        base_url: str,
        *,
        headers: Mapping[str, str] = NO_HEADERS,
        bounds: Bounds = Bounds(),  # noqa: B008 - frozen
        sign: Sign | None = None,
        explain: Explain | None = None,
        cassette: str = "",
        transport: object | None = None,
    ) -> None:
        self.server: Server = server_of(base_url, headers)
        self._bounds = bounds
        self._sign = sign
        self._explain = explain
        self._pool = Pool(base_url, headers, bounds, inserted(cassette, self.server, base_url), transport)
        self._addresses: dict[str, URL] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._pool.close()

    async def get(self, path: str) -> Json:
        """Fetch a JSON document."""
        return await self._document("GET", path)

    async def post(self, path: str, body: bytes) -> Json:
        """Post JSON and read the JSON document that answers it."""
        return await self._document("POST", path, body)

    async def _document(self, method: str, path: str, body: bytes | None = None) -> Json:
        with self._plainly():
            async with Patience(self._bounds.first) as patience, self._answer(patience, method, path, body) as response:
                data = await self._whole(response, patience)
        try:
            found: Json = json.loads(data)
        except (ValueError, RecursionError):
            raise self.server.unavailable(f"answered {path} with something that is not JSON.") from None
        return found

    async def stream(
        self, path: str, body: bytes, reading: Reading[T], framing: Framing | None = None
    ) -> AsyncGenerator[T]:
        """Post JSON and yield what ``reading`` makes of the answer; close the generator to hang up.

        Without a ``framing`` the events are server-sent ones.
        """
        with self._plainly():
            async with Patience(self._bounds.first) as patience, self._answer(patience, "POST", path, body) as response:
                if comes_whole(response.headers.get("content-type", "")):
                    data = await self._whole(response, patience)
                    if is_blank(data):
                        raise self.server.empty()
                    for item in reading.document(data):
                        yield item
                    return
                source = self._framed(response, framing) if framing else self._sent(response)
                async with aclosing(self._events(source, reading, patience)) as items:
                    async for item in items:
                        yield item

    async def _events(self, source: AsyncGenerator[str], reading: Reading[T], patience: Patience) -> AsyncGenerator[T]:
        taken = 0
        async with aclosing(source) as events:
            while not reading.over and (event := await patience.next(events)) is not None:
                taken = self._within_bounds(taken + len(event))
                items = reading.event(event) if event else None
                if items is None:
                    continue
                for item in items:
                    yield item
                patience.renew(self._bounds.idle)
            await linger(events, patience)

    def _sent(self, response: "Response") -> AsyncGenerator[str]:
        from .events import events

        return events(self._bytes(response), response.request, self._bounds.event)

    async def _bytes(self, response: "Response") -> AsyncGenerator[bytes]:
        """Yield the bytes of a stream; what unpacks to far more than an answer is broken off, without haste."""
        taken, start = 0, b""
        async with aclosing(self._pieces(response)) as pieces:
            async for piece in pieces:
                taken, start = taken + len(piece), start or piece[: LONGEST_BLANK + 1]
                self._within_bounds(taken // 2)
                if len(piece) >= LARGE:
                    await sleep(0)
                yield piece
        if start.strip() and taken == len(start) and is_blank(start):
            raise self.server.empty()

    async def _framed(self, response: "Response", framing: Framing) -> AsyncGenerator[str]:
        waiting = 0
        async with aclosing(self._bytes(response)) as pieces:
            async for piece in pieces:
                events = self._cut(framing, piece)
                waiting = 0 if events else waiting + len(piece)
                if waiting > self._bounds.event:
                    raise self.server.unavailable(f"sent an event of more than {self._bounds.event} bytes.")
                for event in events:
                    yield event

    def _cut(self, framing: Framing, piece: bytes) -> Sequence[str]:
        try:
            return list(framing.feed(piece))
        except ValueError as error:
            raise self.server.unavailable(f"sent a stream that cannot be read: {error}") from None

    async def _whole(self, response: "Response", patience: Patience) -> bytes:
        whole = bytearray()
        async with aclosing(self._pieces(response)) as pieces:
            while (piece := await patience.next(pieces)) is not None:
                whole += piece
                self._within_bounds(len(whole))
                if not piece.isspace():
                    patience.renew(self._bounds.idle)
        return bytes(whole)

    async def _pieces(self, response: "Response") -> AsyncGenerator[bytes]:
        """Yield an answer as it comes; raises WrongServerError for a web page."""
        begun, kind = False, response.headers.get("content-type", "")
        async with aclosing(response.aiter_bytes()) as pieces:
            async for piece in pieces:
                if not begun and is_web_page(kind, piece):
                    raise self.server.wrong(PAGE)
                begun = begun or bool(piece.strip())
                yield piece

    def _within_bounds(self, size: int) -> int:
        if size > self._bounds.answer:
            raise self.server.unavailable(f"sent more than {self._bounds.answer} bytes; the answer was broken off.")
        return size

    @asynccontextmanager
    async def _answer(
        self, patience: Patience, method: str, path: str, body: bytes | None = None
    ) -> "AsyncIterator[Response]":
        client = self._pool.take()
        try:
            response = await patience.wait(self._pool.send(client, self._request(client, method, path, body)))
            try:
                if not response.is_success:
                    raise self._explained(response.status_code, response.headers, await self._error_body(response))
                yield response
            finally:
                await response.aclose()
        finally:
            await self._pool.give_back(client)

    def _request(self, client: "AsyncClient", method: str, path: str, body: bytes | None) -> "Request":
        headers = {"Content-Type": "application/json"} if body is not None else None
        request = client.build_request(method, self._addresses.get(path, path), content=body, headers=headers)
        if path not in self._addresses:
            if origin(request.url) != origin(client.base_url):
                raise self.server.refused("is whom we ask: an address that leads elsewhere was not followed.")
            self._addresses[path] = request.url
        if self._sign is not None and not self._pool.replays:
            request.headers.update(self._sign(method, str(request.url), body or b""))
        return request

    def _explained(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        told = self._explain(self.server, status, headers, body) if self._explain else None
        return told or failure(self.server, status, headers, body)

    async def _error_body(self, response: "Response") -> bytes:
        from httpx2 import HTTPError

        body = bytearray()
        with suppress(TimeoutError, HTTPError):
            async with timeout(self._bounds.least_error), aclosing(response.aiter_bytes()) as pieces:
                async for piece in pieces:
                    body += piece
                    if len(body) >= self._bounds.error:
                        break
        return bytes(body[: self._bounds.error])

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        """Say what went wrong on the wire in words."""
        from httpx2 import HTTPError, InvalidURL

        try:
            yield
        except Silence as silence:
            raise self.server.unavailable(f"said nothing new for {round(silence.seconds, 1):g} seconds.") from None
        except ProviderUnavailableError as error:
            raise (ProviderUnavailableError(str(error)) if self._pool.replays else error) from None
        except (HTTPError, InvalidURL) as error:
            raise self._broken(error) from None

    def _broken(self, error: Exception) -> ProviderError:
        from httpx2 import ConnectError, ConnectTimeout

        if problem := not_trusted(error):
            return self.server.wrong(problem)
        cause = f"{type(error).__name__}: {error}".rstrip(": ")
        if isinstance(error, ConnectError | ConnectTimeout):
            return self.server.unavailable(f"could not be reached ({cause}). Check the network and the base URL.")
        return self.server.unavailable(f"ended its response early ({cause}).")


def origin(url: "URL") -> tuple[str, str, int | None]:
    """Who is asked at an address, and how."""
    return url.scheme, url.host, url.port


def comes_whole(kind: str) -> bool:
    """Whether a content type is one of a document, and not of a stream."""
    streams = any(word in kind for word in ("ndjson", "jsonl", "stream"))
    return "html" in kind or ("json" in kind and not streams)


async def linger(events: AsyncIterator[object], patience: Patience) -> None:
    """Let a finished answer end by itself, for a moment, so that its connection can be used again."""
    from httpx2 import HTTPError

    patience.hasten(LINGER)
    with suppress(Silence, HTTPError):
        while await patience.next(events) is not None:
            pass
