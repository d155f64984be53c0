"""Serve HTTP on a loopback port, in threads, with given faults."""

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import KW_ONLY
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from typing import Self

from openkoi_hookspecs import Json
from openkoi_hookspecs.lazy_dataclass import dataclass

from .faults import KEEP_ALIVE, NO_FAULT, AfterResponse, ServerFault
from .web_socket import ServerSocket, accept_key

EVENTS = "text/event-stream; charset=utf-8"
JSON = "application/json"
DRIP_SECONDS = 0.02
POLL_SECONDS = 0.005


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A request as the server received it; names of headers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def json(self) -> Json:
        """The parsed body."""
        parsed: Json = json.loads(self.body)
        return parsed


@dataclass(frozen=True, slots=True)
class ServerResponse:
    """What a server answers, in the pieces it is sent in; ``upgrade`` gets a WebSocket in their place."""

    pieces: Iterable[bytes]
    _: KW_ONLY
    status: int = 200
    type: str = JSON
    fault: ServerFault = NO_FAULT
    keep_alive: bytes = KEEP_ALIVE
    upgrade: Callable[[ServerSocket], None] | None = None


class HttpServer:
    """Serve what ``answer`` makes of each request, and keep the requests.

    Started and ended as a context manager. ``sent`` counts the bytes of answers, ``abandoned`` the clients that hung up
    in the middle of one. ``tls`` is its certificate; without one when it is entered, it uses plain HTTP.
    """

    def __init__(
        self, answer: Callable[[ReceivedRequest], ServerResponse], *, tls: ssl.SSLContext | None = None
    ) -> None:
        self.requests: list[ReceivedRequest] = []
        self.connections = 0
        self.sent = 0
        self.abandoned = 0
        self._answer = answer
        self.tls = tls
        self._over = threading.Event()
        self._open: set[socket.socket] = set()

    def __enter__(self) -> Self:
        self._listener = Listener(("127.0.0.1", 0), Handler)
        self._listener.kept = self
        if self.tls:
            plain = self._listener.socket
            self._listener.socket = self.tls.wrap_socket(plain, server_side=True, do_handshake_on_connect=False)
        self._thread = threading.Thread(target=self._listener.serve_forever, args=(POLL_SECONDS,), name="fake server")
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end_waits()
        self._listener.shutdown()
        for connection in tuple(self._open):
            hang_up(connection)
        self._listener.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self._listener.server_address[1]}"

    def respond(self, seen: ReceivedRequest) -> ServerResponse:
        """Record a request and answer it."""
        self.requests.append(seen)
        return self._answer(seen)

    def wait(self, seconds: float | None = None) -> None:
        """Stay silent for this many seconds, or until the server is closed."""
        if seconds != 0:
            self._over.wait(seconds)

    def end_waits(self) -> None:
        """Wake all waiting answers, because the server is closing."""
        self._over.set()

    @property
    def is_ending(self) -> bool:
        """Whether the server is ending."""
        return self._over.is_set()

    def add_connection(self, connection: socket.socket) -> None:
        """Count a connection and remember it, to hang up at the end."""
        self.connections += 1
        self._open.add(connection)

    def remove_connection(self, connection: socket.socket) -> None:
        """Forget a connection."""
        self._open.discard(connection)


class Listener(ThreadingHTTPServer):
    """Listen with one thread per connection; all of them have ended when it is closed."""

    daemon_threads = False
    block_on_close = True
    request_queue_size = 128
    kept: HttpServer


class Handler(BaseHTTPRequestHandler):
    """Handle one connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Listener

    def handle(self) -> None:
        """Serve one request after the other until the client hangs up."""
        self.server.kept.add_connection(self.connection)
        try:
            super().handle()
        except (ConnectionError, ssl.SSLError):
            self.server.kept.abandoned += 1
        self.server.kept.remove_connection(self.connection)

    def do_GET(self) -> None:
        """Serve a request without a body."""
        self._serve(b"")

    def do_POST(self) -> None:
        """Serve a request with a body."""
        chunked = self.headers.get("transfer-encoding", "").lower() == "chunked"
        self._serve(read_chunks(self.rfile) if chunked else self.rfile.read(int(self.headers.get("content-length", 0))))

    do_PATCH = do_PUT = do_POST

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it so
        """Log nothing."""

    def _serve(self, body: bytes) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        served = self.server.kept.respond(ReceivedRequest(self.command, self.path, headers, body))
        self.server.kept.wait(served.fault.delay)
        if served.upgrade:
            self._upgrade(served.upgrade, headers["sec-websocket-key"])
            return
        self._head(served)
        for piece in served.fault.apply(served.pieces, served.keep_alive):
            self._write(piece, served.fault)
            self.server.kept.wait(served.fault.pause)
        self._end(served)

    def _upgrade(self, use: Callable[[ServerSocket], None], key: str) -> None:
        self.send_response(101)
        for name, value in {"upgrade": "websocket", "connection": "Upgrade"}.items():
            self.send_header(name, value)
        self.send_header("sec-websocket-accept", accept_key(key))
        self.end_headers()
        self.close_connection = True
        use(ServerSocket(self.rfile, self.wfile))

    def _head(self, served: ServerResponse) -> None:
        fault = served.fault
        framing = {"transfer-encoding": "chunked"} if fault.framed else {"connection": "close"}
        status = served.status if fault.status == 200 else fault.status
        self.send_response(status)
        content_type = {"content-type": served.type if status == 200 else JSON}
        named = {name.lower(): value for name, value in fault.headers.items()}
        for name, value in {**content_type, **framing, **named}.items():
            self.send_header(name, value)
        self.end_headers()

    def _write(self, piece: bytes, fault: ServerFault) -> None:
        if piece:
            self.server.kept.sent += len(piece)
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if fault.framed else piece)

    def _end(self, served: ServerResponse) -> None:
        fault = served.fault
        if fault.ending is AfterResponse.HANGS:
            self.server.kept.wait()
        while fault.ending is AfterResponse.DRIPS and not self.server.kept.is_ending:
            self._write(served.keep_alive, fault)
            self.server.kept.wait(DRIP_SECONDS)
        if fault.ending is AfterResponse.ENDS and fault.framed:
            self.wfile.write(b"0\r\n\r\n")
            return
        self.close_connection = True


def read_chunks(source: BufferedIOBase) -> bytes:
    """Read a body that is sent in chunks."""
    pieces: list[bytes] = []
    while size := int(source.readline().partition(b";")[0] or b"0", 16):
        pieces.append(source.read(size))
        source.readline()
    source.readline()
    return b"".join(pieces)


def hang_up(connection: socket.socket) -> None:
    """End a connection that may be read from."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
