"""Connect cassettes to httpx2: record responses and replay them. Imported when used."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress

from httpx2 import (
    AsyncBaseTransport,
    AsyncByteStream,
    ByteStream,
    ConnectError,
    HTTPError,
    ReadError,
    Request,
    Response,
)

from .exchange import Exchange
from .recordings import Recordings

Keep = Callable[[Sequence[bytes], str, int, Mapping[str, str]], None]

MAX_UNPACKED_BYTES = 64 * 1024 * 1024
CLOSED_EARLY = "the reader closed it"
CONNECT_ERRORS = ("ConnectError", "ConnectTimeout")


class RecordingStream(AsyncByteStream):
    """A response's bytes, which are recorded when it is closed."""

    def __init__(self, response: Response, keep: Keep) -> None:
        assert isinstance(response.stream, AsyncByteStream)
        self._stream = response.stream
        self._response = response
        self._keep = keep
        self._pieces: list[bytes] = []
        self._cut = CLOSED_EARLY

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._stream:
                self._pieces.append(piece)
                yield piece
        except HTTPError as error:
            self._cut = f"{type(error).__name__}: {error}".rstrip(": ")
            raise
        self._cut = ""

    async def aclose(self) -> None:
        """Close the stream and record it."""
        await self._stream.aclose()
        headers = self._response.headers
        self._keep(unpack_pieces(self._pieces, headers), self._cut, self._response.status_code, headers)


class ReplayTransport(AsyncBaseTransport):
    """A transport that answers from recordings."""

    def __init__(self, recordings: Recordings, root: str) -> None:
        self._recordings = recordings
        self._root = root

    async def handle_async_request(self, request: Request) -> Response:
        """Replay the response to a request, or raise its recorded error."""
        exchange = self._recordings.find(*describe_request(request, self._root))
        if not exchange.status:
            raise replayed_error(exchange.cut)
        return Response(exchange.status, headers=dict(exchange.headers), stream=ReplayStream(exchange))


class ReplayStream(AsyncByteStream):
    """A recorded response in its original pieces, cut off where the original was."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._exchange.pieces:
            yield piece
            await asyncio.sleep(0)
        if self._exchange.cut:
            raise replayed_error(self._exchange.cut)


def replayed_error(cut: str) -> HTTPError:
    """Return the error that a recording ends with."""
    return ConnectError(cut) if cut.startswith(CONNECT_ERRORS) else ReadError(f"in the recording: {cut}")


def describe_request(request: Request, root: str) -> tuple[str, str, bytes]:
    """Return the method, the path below the base URL, and the body."""
    return request.method, request.url.raw_path.decode("ascii").removeprefix(root), request.content


def unpack_pieces(pieces: Sequence[bytes], headers: Mapping[str, str]) -> Sequence[bytes]:
    """Decompress a body that was sent compressed, because secrets in it could not be found."""
    encoding = headers.get("content-encoding", "identity")
    if encoding == "identity" or not pieces:
        return pieces
    found, size = [], 0
    packed = Response(200, headers={"content-encoding": encoding}, stream=ByteStream(b"".join(pieces)))
    with suppress(HTTPError):
        for piece in packed.iter_bytes():
            found.append(piece)
            size += len(piece)
            if size > MAX_UNPACKED_BYTES:
                break
    return found
