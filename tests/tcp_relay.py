"""Relay between a client and a real server, so that a test can cut the connection or block all traffic."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class TcpRelay:
    """Passes connections on to a local port. ``silent``: what arrives is kept from both sides."""

    def __init__(self, port: int) -> None:
        self.target = port
        self.silent = False
        self.open: set[socket.socket] = set()
        self.listener = self.listen(0)
        self.port: int = self.listener.getsockname()[1]

    def listen(self, port: int) -> socket.socket:
        """Accept connections in a thread of its own."""
        listener = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self.accept, args=(listener,), daemon=True).start()
        return listener

    def accept(self, listener: socket.socket) -> None:
        """Connect each client to the server, until the listener is closed."""
        with suppress(OSError):
            while True:
                near, _ = listener.accept()
                far = socket.create_connection(("127.0.0.1", self.target))
                self.open |= {near, far}
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=self.pump, args=(source, sink), daemon=True).start()

    def pump(self, source: socket.socket, sink: socket.socket) -> None:
        """Pass on what one side says, until it ends."""
        with suppress(OSError):
            while data := source.recv(65536):
                if not self.silent:
                    sink.sendall(data)
        self.cut(source, sink)

    def cut(self, *connections: socket.socket) -> None:
        """End connections."""
        for one in connections:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
            self.open.discard(one)

    def close(self) -> None:
        """Refuse connections, and end those that there are."""
        with suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.cut(*list(self.open))

    @contextmanager
    def outage(self) -> Iterator[None]:
        """Refuse connections while this is entered."""
        self.close()
        try:
            yield
        finally:
            self.listener = self.listen(self.port)

    @contextmanager
    def silence(self) -> Iterator[None]:
        """Keep connections open but silent while this is entered."""
        self.silent = True
        try:
            yield
        finally:
            self.silent = False
