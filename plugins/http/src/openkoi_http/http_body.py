"""Extract the body of an HTTP/1.1 response from the received bytes. Does no I/O.

All received bytes of a body are taken at once, however many chunks they are in.
"""

import zlib
from collections.abc import Iterator
from typing import Protocol

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .http_head import ResponseHead
from .network_errors import NetworkError

CUT_OFF = "the connection was closed in the middle of the response"
MAX_CHUNK_LINE_BYTES = 16 * 1024
MAX_TRAILER_BYTES = 100 * 1024
UNPACKED_PIECE_BYTES = 64 * 1024
WITHOUT_BODY = (101, 204, 304)
CHUNK_LINE = lazy_pattern(rb"([0-9A-Fa-f]{1,16})[ \t]*(?:;[^\x00]*)?")
LENGTH = lazy_pattern(r"[0-9]{1,18}")
GZIP_OR_ZLIB = 47  # zlib's number for either
PACKED = ("gzip", "x-gzip", "deflate")


class Body(Protocol):
    """The body of one response; ``over`` once all of it was read."""

    over: bool

    def take(self, buffer: bytearray) -> bytes:
        """Remove the received part of the body from the front of a buffer."""

    def end(self) -> None:
        """Record that the connection was closed; raises NetworkError if that is too early."""


class SizedBody:
    """A body of a known length."""

    def __init__(self, size: int) -> None:
        self._left = size
        self.over = size == 0

    def take(self, buffer: bytearray) -> bytes:
        """Return as many bytes as belong to it."""
        piece = bytes(buffer[: self._left])
        del buffer[: self._left]
        self._left -= len(piece)
        self.over = self._left == 0
        return piece

    def end(self) -> None:
        """Raise NetworkError: the body is shorter than announced."""
        raise NetworkError(CUT_OFF)


class OpenBody:
    """A body that ends with the connection."""

    def __init__(self) -> None:
        self.over = False

    def take(self, buffer: bytearray) -> bytes:
        """Return everything."""
        piece = bytes(buffer)
        buffer.clear()
        return piece

    def end(self) -> None:
        """Accept the end."""
        self.over = True


class ChunkedBody:
    """A body in chunks, each after a line with its length."""

    def __init__(self) -> None:
        self.over = False
        self._left = 0
        self._ends_chunk = self._in_trailers = False

    def take(self, buffer: bytearray) -> bytes:
        """Return the content of the chunks."""
        pieces: list[bytes] = []
        place = 0
        while not self.over:
            if self._left:
                piece = bytes(buffer[place : place + self._left])
                pieces.append(piece)
                place += len(piece)
                self._left -= len(piece)
                if self._left:
                    break
                self._ends_chunk = True
            end = buffer.find(b"\n", place)
            limit = MAX_TRAILER_BYTES if self._in_trailers else MAX_CHUNK_LINE_BYTES
            if (len(buffer) if end < 0 else end) - place > limit:
                raise NetworkError("it sent an invalid chunk")
            if end < 0:
                break
            self._take_line(bytes(buffer[place:end]).removesuffix(b"\r"))
            place = end + 1
        del buffer[:place]
        return b"".join(pieces)

    def _take_line(self, line: bytes) -> None:
        if self._in_trailers:
            self.over = not line
            return
        if self._ends_chunk:
            if line:
                raise NetworkError("it sent an invalid chunk")
            self._ends_chunk = False
            return
        found = CHUNK_LINE.fullmatch(line)
        if found is None:
            raise NetworkError("it sent an invalid chunk")
        self._left = int(found[1], 16)
        self._in_trailers = self._left == 0

    def end(self) -> None:
        """Raise NetworkError: the last chunk, which is empty, is missing."""
        raise NetworkError(CUT_OFF)


def body_of(head: ResponseHead, method: str) -> Body:
    """Return the body that follows a head; raises NetworkError if the head does not define it."""
    if method == "HEAD" or head.status in WITHOUT_BODY:
        return SizedBody(0)
    if (coding := head.headers.get("transfer-encoding")) is not None:
        if coding.lower() != "chunked":
            raise NetworkError("it sent an unknown transfer coding")
        return ChunkedBody()
    if (length := head.headers.get("content-length")) is None:
        return OpenBody()
    sizes = {size.strip() for size in length.split(",")}
    if len(sizes) != 1 or not LENGTH.fullmatch(size := sizes.pop()):
        raise NetworkError("it sent an invalid length")
    return SizedBody(int(size))


class Unpacker:
    """Decompresses a body that was compressed without a request for it."""

    def __init__(self, encoding: str) -> None:
        self._unpack = zlib.decompressobj(GZIP_OR_ZLIB) if encoding.strip().lower() in PACKED else None

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Yield the decompressed data in pieces of a limited size; leave other encodings unchanged."""
        if self._unpack is None:
            yield piece
            return
        unpacked = b""
        while piece or len(unpacked) == UNPACKED_PIECE_BYTES:
            try:
                unpacked = self._unpack.decompress(piece, UNPACKED_PIECE_BYTES)
            except zlib.error:
                raise NetworkError("it sent damaged compressed data") from None
            if unpacked:
                yield unpacked
            piece = self._unpack.unconsumed_tail
