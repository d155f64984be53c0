"""Server-sent events out of the bytes of an answer. Knows how a stream may begin: with a mark of its encoding, or as a
document that is no stream at all. Imported when used.
"""

from codecs import getincrementaldecoder
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import cast

from httpx2 import EventSource, Request, Response, ServerSentEvent

HEADERS = {"content-type": "text/event-stream"}
BOM = b"\xef\xbb\xbf"
DOCUMENT = (b"{", b"[")
Decoder = getincrementaldecoder("utf-8")


class Words:
    """What an EventSource reads of a response: that it is a stream of events, and its text as it comes."""

    headers = HEADERS

    def __init__(self, start: bytes, pieces: AsyncIterator[bytes], request: Request) -> None:
        self.request = request
        self._start = start
        self._pieces = pieces

    async def aiter_text(self) -> AsyncIterator[str]:
        """Yield the text, also of characters that come in parts."""
        decoder = Decoder(errors="replace")
        yield decoder.decode(self._start)
        async for piece in self._pieces:
            yield decoder.decode(piece)
        yield decoder.decode(b"", final=True)


async def events(pieces: AsyncGenerator[bytes], request: Request, longest: int) -> AsyncGenerator[str]:
    """Yield what each event says, and close the pieces at the end; a document in place of events is one."""
    async with aclosing(pieces):
        start = await opening(pieces)
        if start.startswith(DOCUMENT):
            yield await document(start, pieces)
            return
        response = cast("Response", Words(start, pieces, request))  # it is all that is read of one
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
