"""Write and parse the frames of a WebSocket (RFC 6455), for the client's side. Does no I/O."""

import os
from typing import NamedTuple

from .network_errors import NetworkError

CONTINUATION, TEXT, CLOSE, PING, PONG = 0x0, 0x1, 0x8, 0x9, 0xA
KINDS = frozenset({CONTINUATION, TEXT, CLOSE, PING, PONG})
LAST, RESERVED, MASKED, CONTROL = 0x80, 0x70, 0x80, 0x08
MAX_SHORT, MAX_MEDIUM = 125, 0xFFFF  # RFC 6455: sizes above are in 2 bytes after the first ones, or in 8
INVALID = "it sent an invalid frame"
TOO_LARGE = "it sent a message that is too large"


class Frame(NamedTuple):
    """A part of a message, or a control frame."""

    kind: int
    is_last: bool
    data: bytes


class MessageParser:
    """Extracts messages and control frames from received bytes; a message may consist of several frames."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._parts = bytearray()
        self._is_begun = False

    def take(self, buffer: bytearray) -> tuple[int, bytes] | None:
        """Remove the first frame from the front; None if it is not complete. Raises NetworkError if it is invalid."""
        while frame := take_frame(buffer, self._max_bytes - len(self._parts)):
            if frame.kind & CONTROL:
                return frame.kind, frame.data
            if (frame.kind == CONTINUATION) is not self._is_begun:
                raise NetworkError(INVALID)
            self._parts += frame.data
            self._is_begun = not frame.is_last
            if frame.is_last:
                message = bytes(self._parts)
                self._parts.clear()
                return TEXT, message
        return None


def take_frame(buffer: bytearray, max_bytes: int) -> Frame | None:
    """Remove a frame from the front; return None if it is not complete. Raises NetworkError for an invalid one."""
    if len(buffer) < 2:
        return None
    first, size, start = buffer[0], buffer[1], 2
    kind, is_last = first & 0x0F, bool(first & LAST)
    if first & RESERVED or size & MASKED or kind not in KINDS:
        raise NetworkError(INVALID)
    if kind & CONTROL and (size > MAX_SHORT or not is_last):
        raise NetworkError(INVALID)
    if size > MAX_SHORT:
        start += 2 if size == MAX_SHORT + 1 else 8
        if len(buffer) < start:
            return None
        size = int.from_bytes(buffer[2:start], "big")
    if size > max_bytes and not kind & CONTROL:
        raise NetworkError(TOO_LARGE)
    if len(buffer) < start + size:
        return None
    data = bytes(buffer[start : start + size])
    del buffer[: start + size]
    return Frame(kind, is_last, data)


def encode_frame(kind: int, data: bytes) -> bytes:
    """Return a frame with a whole message, masked by random bytes as required of clients."""
    size = len(data)
    if size <= MAX_SHORT:
        head = bytes([LAST | kind, MASKED | size])
    elif size <= MAX_MEDIUM:
        head = bytes([LAST | kind, MASKED | MAX_SHORT + 1]) + size.to_bytes(2, "big")
    else:
        head = bytes([LAST | kind, MASKED | MAX_SHORT + 2]) + size.to_bytes(8, "big")
    key = os.urandom(4)
    mask = (key * (size // 4 + 1))[:size]
    masked = int.from_bytes(data, "big") ^ int.from_bytes(mask, "big")
    return head + key + masked.to_bytes(size, "big")
