"""Read server-sent events, a byte order mark, or a plain document sent instead."""

from codecs import getincrementaldecoder
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import cast

from httpx2 import EventSource, Request, Response, ServerSentEvent

SSE_HEADERS = {"content-type": "text/event-stream"}
BOM = b"\xef\xbb\xbf"
DOCUMENT_START = (b"{", b"[")
Decoder = getincrementaldecoder("utf-8")


class EventTextSource:
    """The part of a response that an EventSource reads: content type and text."""

    headers = SSE_HEADERS

    def __init__(self, start: bytes, pieces: AsyncIterator[bytes], request: Request) -> None:
        self.request = request
        self._start = start
        self._pieces = pieces

    async def aiter_text(self) -> AsyncIterator[str]:
        """Yield the text; characters may be split across pieces."""
        decoder = Decoder(errors="replace")
        yield decoder.decode(self._start)
        async for piece in self._pieces:
            yield decoder.decode(piece)
        yield decoder.decode(b"", final=True)


async def read_sse_events(pieces: AsyncGenerator[bytes], request: Request, max_bytes: int) -> AsyncGenerator[str]:
    """Yield the data of each event, and close the pieces at the end; a document counts as one event."""
    async with aclosing(pieces):
        start = await read_start(pieces)
        if start.startswith(DOCUMENT_START):
            yield await read_document(start, pieces)
            return
        response = cast("Response", EventTextSource(start, pieces, request))  # it is all that is read of one
        source = aiter(EventSource(response, max_event_size=max_bytes))
        generator = cast("AsyncGenerator[ServerSentEvent]", source)  # it is a generator, and typed as less
        async with aclosing(generator) as found:
            async for event in found:
                yield event.data


async def read_start(pieces: AsyncIterator[bytes]) -> bytes:
    """Read until the start of the stream can be recognized."""
    start = b""
    async for piece in pieces:
        start = (start + piece).lstrip()
        if len(start.removeprefix(BOM).lstrip()) >= len(BOM):
            break
    return start.removeprefix(BOM).lstrip()


async def read_document(start: bytes, pieces: AsyncIterator[bytes]) -> str:
    """Read a document to its end."""
    whole = bytearray(start)
    async for piece in pieces:
        whole += piece
    return whole.decode(errors="replace")
