"""Server-sent events out of the bytes of an answer. Knows how a stream may begin: with a mark of its encoding, or as a
document that is no stream at all. Imported when used.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import cast

from httpx2 import AsyncByteStream, EventSource, Request, Response, ServerSentEvent

HEADERS = {"content-type": "text/event-stream; charset=utf-8"}
BOM = b"\xef\xbb\xbf"
DOCUMENT = (b"{", b"[")


class Bytes(AsyncByteStream):
    """What was read of a stream already, and the rest of it."""

    def __init__(self, start: bytes, rest: AsyncIterator[bytes]) -> None:
        self._start = start
        self._rest = rest

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._start
        async for piece in self._rest:
            yield piece


async def events(pieces: AsyncGenerator[bytes], request: Request, longest: int) -> AsyncGenerator[str]:
    """Yield what each event says; a document in place of events is one."""
    start = await opening(pieces)
    if start.startswith(DOCUMENT):
        yield await document(start, pieces)
        return
    response = Response(200, headers=HEADERS, stream=Bytes(start, pieces), request=request)
    source = aiter(EventSource(response, max_event_size=longest))
    generator = cast("AsyncGenerator[ServerSentEvent]", source)  # it is a generator, and typed as less
    async with aclosing(generator) as found:
        async for event in found:
            yield event.data


async def opening(pieces: AsyncIterator[bytes]) -> bytes:
    """Read until it can be told how a stream begins."""
    start = b""
    async for piece in pieces:
        start = (start + piece).lstrip()
        if len(start.removeprefix(BOM).lstrip()) >= len(BOM):
            break
    return start.removeprefix(BOM).lstrip()


async def document(start: bytes, pieces: AsyncIterator[bytes]) -> str:
    """Read a document to its end."""
    whole = bytearray(start)
    async for piece in pieces:
        whole += piece
    return whole.decode(errors="replace")
