"""Provide a server that starts listening on request, at a known port, and forwards to another server."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer
from urllib.parse import urlsplit


@contextmanager
def listen_late(port: int, url: str) -> Iterator[None]:
    """Listen at a port for the server at a web address."""
    behind = (urlsplit(url).hostname or "", urlsplit(url).port or 80)

    class Passage(BaseRequestHandler):
        """One connection, both ways."""

        def handle(self) -> None:
            with socket.create_connection(behind) as other:
                back = threading.Thread(target=forward, args=(other, self.request))
                back.start()
                forward(self.request, other)
                back.join()

    ThreadingTCPServer.allow_reuse_address = True
    with ThreadingTCPServer(("127.0.0.1", port), Passage) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield
        server.shutdown()
        thread.join()


def forward(source: socket.socket, target: socket.socket) -> None:
    """Forward data, and its end."""
    with suppress(OSError):
        while piece := source.recv(65_536):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
