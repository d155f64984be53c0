"""Where cassettes meet the HTTP client: an answer that is listened to, and one that is played. Imported when used."""

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

LARGEST = 64 * 1024 * 1024
LEFT = "nobody read on"
UNREACHED = ("ConnectError", "ConnectTimeout")


class Listened(AsyncByteStream):
    """The bytes of an answer as they come; they are kept when it is closed."""

    def __init__(self, response: Response, keep: Keep) -> None:
        assert isinstance(response.stream, AsyncByteStream)
        self._stream = response.stream
        self._response = response
        self._keep = keep
        self._pieces: list[bytes] = []
        self._cut = LEFT

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
        """Hang up and write down."""
        await self._stream.aclose()
        headers = self._response.headers
        self._keep(plain(self._pieces, headers), self._cut, self._response.status_code, headers)


class Player(AsyncBaseTransport):
    """Answers from recordings, in place of the network."""

    def __init__(self, recordings: Recordings, root: str) -> None:
        self._recordings = recordings
        self._root = root

    async def handle_async_request(self, request: Request) -> Response:
        """Play what was answered to this request; raises what was raised."""
        exchange = self._recordings.answer(*asked(request, self._root))
        if not exchange.status:
            raise broken(exchange.cut)
        return Response(exchange.status, headers=dict(exchange.headers), stream=Played(exchange))


class Played(AsyncByteStream):
    """A recorded answer, piece by piece; one that was cut off is cut off again."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._exchange.pieces:
            yield piece
            await asyncio.sleep(0)
        if self._exchange.cut:
            raise broken(self._exchange.cut)


def broken(cut: str) -> HTTPError:
    """Make the error that a recording ends with."""
    return ConnectError(cut) if cut.startswith(UNREACHED) else ReadError(f"in the recording: {cut}")


def asked(request: Request, root: str) -> tuple[str, str, bytes]:
    """What is asked: the method, the path below the base URL, the body."""
    return request.method, request.url.raw_path.decode("ascii").removeprefix(root), request.content


def plain(pieces: Sequence[bytes], headers: Mapping[str, str]) -> Sequence[bytes]:
    """Unpack what was sent compressed, unasked: in that, no secret could be seen."""
    encoding = headers.get("content-encoding", "identity")
    if encoding == "identity" or not pieces:
        return pieces
    found, size = [], 0
    packed = Response(200, headers={"content-encoding": encoding}, stream=ByteStream(b"".join(pieces)))
    with suppress(HTTPError):
        for piece in packed.iter_bytes():
            found.append(piece)
            size += len(piece)
            if size > LARGEST:
                break
    return found
