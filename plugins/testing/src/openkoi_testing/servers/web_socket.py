"""Speak the server's side of a WebSocket (RFC 6455): text messages, pings and the end."""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha1
from io import BufferedIOBase
from typing import Any

MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, CLOSE, PING, PONG = 0x1, 0x8, 0x9, 0xA


def accept_key(key: str) -> str:
    """Return the answer to a client's key."""
    return base64.b64encode(sha1(f"{key}{MAGIC}".encode()).digest()).decode()


class ServerSocket:
    """An open connection. ``deaf`` makes it answer nothing, like a connection that the network has lost."""

    def __init__(self, source: BufferedIOBase, sink: BufferedIOBase) -> None:
        self._source, self._sink = source, sink
        self._writing = threading.Lock()
        self.deaf = False

    def send(self, message: Any) -> bool:
        """Send a message as JSON; return whether the connection was there."""
        return self._write(TEXT, json.dumps(message).encode())

    def close(self) -> None:
        """End the connection."""
        self._write(CLOSE, (1000).to_bytes(2, "big"))

    def receive_all(self) -> Iterator[Any]:
        """Yield the messages of the client until it goes."""
        with suppress(OSError, ValueError):
            while frame := self._read():
                kind, data = frame
                if kind == CLOSE:
                    self._write(CLOSE, data)
                    return
                if kind == PING and not self.deaf:
                    self._write(PONG, data)
                elif kind == TEXT:
                    yield json.loads(data)

    def _write(self, kind: int, data: bytes) -> bool:
        size = len(data)
        if size < 126:
            head = bytes([0x80 | kind, size])
        elif size < 65536:
            head = bytes([0x80 | kind, 126]) + size.to_bytes(2, "big")
        else:
            head = bytes([0x80 | kind, 127]) + size.to_bytes(8, "big")
        try:
            with self._writing:
                self._sink.write(head + data)
                self._sink.flush()
        except (OSError, ValueError):
            return False
        return True

    def _read(self) -> tuple[int, bytes] | None:
        head = self._source.read(2)
        if len(head) < 2:
            return None
        size = head[1] & 0x7F
        if size >= 126:
            size = int.from_bytes(self._source.read(2 if size == 126 else 8), "big")
        mask = self._source.read(4) if head[1] & 0x80 else bytes(4)
        data = self._source.read(size)
        return head[0] & 0x0F, bytes(byte ^ mask[place % 4] for place, byte in enumerate(data))
