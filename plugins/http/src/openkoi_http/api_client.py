"""Send requests to one server and stream its responses within limits.

Nothing is retried here: the kernel does that.
"""

import json
from asyncio import sleep, timeout
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Self, TypeVar

from openkoi_hookspecs import Json, ProviderError, ProviderUnavailableError

from .api_request import ApiRequest, Response, Sign
from .blank import is_blank
from .cassette import open_cassette
from .event_parser import EventParser, ResponseReader, check_size
from .idle_timeout import IdleTimeout, IdleTimeoutError, Pacing
from .limits import ResponseLimits
from .network_errors import cause_of, is_unreachable, network_errors
from .pool import ClientPool
from .server import Server, make_server
from .sse_stream import ServerSentEvents
from .wrong_server import WEB_PAGE_MESSAGE, is_web_page, tls_problem

if TYPE_CHECKING:
    from .framing import Framing

T = TypeVar("T")

Explain = Callable[[Server, int, Mapping[str, str], bytes], ProviderError | None]

DRAIN_SECONDS = 0.2
LARGE_PIECE_BYTES = 64 * 1024
NO_HEADERS: Mapping[str, str] = {}


class ApiClient:
    """A pool of connections to one server, opened on first use and reusable after closing.

    ``sign`` returns additional headers for a method, URL and body. ``explain`` interprets a vendor's own errors; the
    rest is interpreted by common rules. ``cassette`` is ``record:FILE`` or ``replay:FILE``. ``transport``, an
    ``httpx2.AsyncBaseTransport``, replaces the network in tests.
    """

    def __init__(
        self,
        base_url: str,
        *,
        headers: Mapping[str, str] = NO_HEADERS,
        bounds: ResponseLimits = ResponseLimits(),  # noqa: B008 - frozen
        sign: Sign | None = None,
        explain: Explain | None = None,
        cassette: str = "",
        transport: object | None = None,
    ) -> None:
        self.server: Server = make_server(base_url, headers)
        self._bounds = bounds
        self._sign = sign
        self._explain = explain
        recording = open_cassette(cassette, self.server, base_url)
        self._pool = ClientPool(self.server, base_url, headers, bounds, recording, transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._pool.close()

    async def get(self, path: str) -> Json:
        """Fetch a JSON document."""
        return await self._request_json("GET", path)

    async def post(self, path: str, body: bytes) -> Json:
        """Post JSON and return the JSON response."""
        return await self._request_json("POST", path, body)

    async def _request_json(self, method: str, path: str, body: bytes | None = None) -> Json:
        with self._translate_errors():
            async with (
                IdleTimeout(self._bounds.first_content_timeout) as idle_timeout,
                self._open_response(idle_timeout, method, path, body) as response,
            ):
                data = await self._read_all(response, idle_timeout)
        try:
            found: Json = json.loads(data)
        except (ValueError, RecursionError):
            raise self.server.unavailable(f"did not return JSON from {path}.", uncertain=True) from None
        return found

    async def stream(
        self, path: str, body: bytes, reading: ResponseReader[T], framing: "Framing | None" = None
    ) -> AsyncGenerator[T]:
        """Post JSON and yield what ``reading`` parses; close the generator to disconnect.

        Without a ``framing``, the stream consists of server-sent events.
        """
        with self._translate_errors():
            async with (
                IdleTimeout(self._bounds.first_content_timeout) as idle_timeout,
                self._open_response(idle_timeout, "POST", path, body) as response,
            ):
                if is_document_type(response.headers.get("content-type", "")):
                    data = await self._read_all(response, idle_timeout)
                    if is_blank(data):
                        raise self.server.blank(data)
                    for item in reading.document(data):
                        yield item
                    return
                parser = EventParser(self.server, self._bounds, framing or ServerSentEvents(), reading)
                pacing = Pacing()
                async with aclosing(self._read_pieces(response)) as pieces:
                    while not reading.over:
                        pacing.begin()
                        piece = await idle_timeout.next(pieces)
                        for items in parser.finish() if piece is None else parser.feed(piece):
                            for item in items:
                                yield item
                            idle_timeout.renew(self._bounds.idle_seconds)
                        if piece is None:
                            return
                        await pacing.rest()
                    await drain(pieces, idle_timeout)

    async def _read_all(self, response: Response, idle_timeout: IdleTimeout) -> bytes:
        whole = bytearray()
        async with aclosing(self._read_pieces(response)) as pieces:
            while (piece := await idle_timeout.next(pieces)) is not None:
                whole += piece
                check_size(self.server, self._bounds, len(whole))
                if not piece.isspace():
                    idle_timeout.renew(self._bounds.idle_seconds)
        return bytes(whole)

    async def _read_pieces(self, response: Response, *, is_file: bool = False) -> AsyncGenerator[bytes]:
        """Yield the pieces of a body; raise WrongServerError for a web page, unless a file may be one."""
        begun, headers = is_file, response.headers
        as_it_comes = "content-encoding" not in headers and not response.is_stream_consumed
        async with aclosing(response.aiter_raw() if as_it_comes else response.aiter_bytes()) as pieces:
            async for piece in pieces:
                if not begun and is_web_page(headers.get("content-type", ""), piece):
                    raise self.server.wrong_server(WEB_PAGE_MESSAGE)
                begun = begun or bool(piece.strip())
                if len(piece) >= LARGE_PIECE_BYTES:
                    await sleep(0)
                yield piece

    @asynccontextmanager
    async def _open_response(
        self, idle_timeout: IdleTimeout, method: str, path: str, body: bytes | None = None
    ) -> AsyncIterator[Response]:
        client = self._pool.acquire(path)
        idle_timeout.renew(self._bounds.first_content_timeout)  # the server did nothing while httpx2 was imported
        try:
            response = await idle_timeout.wait(self._pool.send(client, self._build_request(method, path, body)))
            try:
                if not response.is_success:
                    raise self._error_for(response.status_code, response.headers, await self._read_error_body(response))
                yield response
            finally:
                await response.aclose()
        finally:
            await self._pool.release(client, path)

    def _build_request(self, method: str, path: str, body: bytes | None) -> ApiRequest:
        return ApiRequest(method, path, body, sign=None if self._pool.is_replay else self._sign)

    def _error_for(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        explained = self._explain(self.server, status, headers, body) if self._explain else None
        error = explained or self._explain_status(status, headers, body)
        error.status = status
        return error

    def _explain_status(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        from .errors import error_for_status

        return error_for_status(self.server, status, headers, body)

    async def _read_error_body(self, response: Response) -> bytes:
        body = bytearray()
        with suppress(TimeoutError, *network_errors()):
            async with timeout(self._bounds.error_timeout), aclosing(response.aiter_bytes()) as pieces:
                async for piece in pieces:
                    body += piece
                    if len(body) >= self._bounds.error_bytes:
                        break
        return bytes(body[: self._bounds.error_bytes])

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Convert network errors to OpenKoi's."""
        try:
            yield
        except IdleTimeoutError as expired:
            silence = f"sent no new content for {round(expired.seconds, 1):g} seconds."
            raise self.server.unavailable(silence, uncertain=True) from None
        except ProviderUnavailableError as error:
            raise (ProviderUnavailableError(str(error)) if self._pool.is_replay else error) from None
        except network_errors() as error:
            raise self._connection_error(error) from None

    def _connection_error(self, error: Exception) -> ProviderError:
        if problem := tls_problem(error):
            return self.server.wrong_server(problem)
        cause = cause_of(error)
        if is_unreachable(error):
            return self.server.unavailable(f"could not be reached ({cause}). Check the network and the base URL.")
        return self.server.unavailable(f"ended its response early ({cause}).", uncertain=True)


def is_document_type(kind: str) -> bool:
    """Return whether a content type is that of a document rather than a stream."""
    streams = any(word in kind for word in ("ndjson", "jsonl", "stream"))
    return "html" in kind or ("json" in kind and not streams)


async def drain(events: AsyncIterator[object], idle_timeout: IdleTimeout) -> None:
    """Read the rest of a finished response for a moment, so that its connection can be reused."""
    idle_timeout.shorten(DRAIN_SECONDS)
    with suppress(IdleTimeoutError, *network_errors()):
        while await idle_timeout.next(events) is not None:
            pass
