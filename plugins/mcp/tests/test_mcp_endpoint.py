"""Servers of the older transport without a usable message endpoint: they fail at once, and the error says why."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from mcp_types import ErrorData

from openkoi_hookspecs import ToolError
from openkoi_mcp import connection
from openkoi_mcp.connection import UNAUTHORIZED, Connection
from openkoi_mcp.server_config import ServerConfig, ServerTable

TOO_LATE = "it did not answer within"
FOREIGN = "instead of http://127.0.0.1:{port}; nothing was sent"
NAMED = "event: endpoint\ndata: {}\n\n"
ANSWERS: Mapping[str, tuple[str, str]] = {
    "another host": (
        NAMED.format("http://pond.example/messages"),
        f"its message endpoint is on http://pond.example {FOREIGN}",
    ),
    "another port": (
        NAMED.format("http://127.0.0.1:9/messages"),
        f"its message endpoint is on http://127.0.0.1:9 {FOREIGN}",
    ),
    "another scheme": (
        NAMED.format("https://127.0.0.1:{port}/m"),
        f"its message endpoint is on https://127.0.0.1:{{port}} {FOREIGN}",
    ),
    "without a scheme": (
        NAMED.format("//pond.example/messages"),
        f"its message endpoint is on http://pond.example {FOREIGN}",
    ),
    "with a password": (
        NAMED.format("http://a:b@127.0.0.1:{port}/m"),
        f"its message endpoint is on http://a:b@127.0.0.1:{{port}} {FOREIGN}",
    ),
    "after a message": (
        "data: {{}}\n\n" + NAMED.format("http://pond.example/m"),
        f"its message endpoint is on http://pond.example {FOREIGN}",
    ),
    "not an address": (NAMED.format("http://[/messages"), "it sent an invalid message endpoint"),
    "no address": ("event: other\ndata: x\n\n", "it did not send a message endpoint"),
    "nothing": ("", "it did not send a message endpoint"),
    "cut off": ("event: endpo", "its event stream ended before it sent a message endpoint"),
}


@contextmanager
def served(text: str, *, cut_off: bool) -> Iterator[tuple[int, list[str]]]:
    """Serve this stream of events; yield the port, and the requests."""
    requests: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            """Log nothing."""

        def do_GET(self) -> None:
            requests.append("GET")
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            events = text.format(port=server.server_port).encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(events), events) if events else b"")
            self.wfile.write(b"" if cut_off else b"0\r\n\r\n")
            self.close_connection = True

        def do_POST(self) -> None:
            requests.append("POST")

    with serving(Handler) as server:
        yield server.server_port, requests


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


class LoginRequired(BaseHTTPRequestHandler):
    """A server that requires a login."""

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.send_response(401)
        self.send_header("www-authenticate", "Bearer")
        self.send_header("content-length", "0")
        self.end_headers()

    do_POST = do_GET


class StreamRefused(LoginRequired):
    """A server that refuses only the optional stream of its messages."""

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "pond", "version": "1"}}
        result = about if message["method"] == "initialize" else {"tools": []}
        answer = json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "result": result}).encode()
        self.send_response(200 if "id" in message else 202)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer) if "id" in message else 0))
        self.send_header("mcp-session-id", "1")
        self.end_headers()
        self.wfile.write(answer if "id" in message else b"")


def connection_to(url: str, folder: Path, transport: str) -> Connection:
    async def elicit(context: object, params: object) -> ErrorData:
        raise AssertionError

    return Connection(ServerConfig("pond", ServerTable(url=url, transport=transport), "here"), folder, elicit, {})


async def connect(url: str, folder: Path, transport: str = "sse") -> str:
    """Return why a server cannot be reached."""
    one = connection_to(url, folder, transport)
    try:
        with pytest.raises(ToolError) as raised:
            await one.client()
        return str(raised.value)
    finally:
        await one.close()


@pytest.mark.row("SEC-03", "C7")
@pytest.mark.parametrize("kind", ANSWERS)
def test_a_server_without_an_address_that_can_be_used_fails_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(connection, "START_SECONDS", 600.0)  # what fails at once never gets there
    text, reason = ANSWERS[kind]

    with served(text, cut_off=kind == "cut off") as (port, requests):
        error = asyncio.run(connect(f"http://127.0.0.1:{port}/sse", tmp_path))

    assert f"The MCP server pond cannot be reached: {reason.format(port=port)}." in error
    assert TOO_LATE not in error
    assert ["GET"] == requests


@pytest.mark.parametrize("transport", ["http", "sse"])
def test_a_server_that_requires_a_login_is_reported_with_the_remedy(tmp_path: Path, transport: str) -> None:
    with serving(LoginRequired) as server:
        error = asyncio.run(connect(f"http://127.0.0.1:{server.server_port}/mcp", tmp_path, transport))

    assert UNAUTHORIZED.format("pond") in error
    assert "For more information" not in error


def test_one_refused_request_of_a_server_that_works_does_not_say_that_it_requires_a_login(tmp_path: Path) -> None:
    refused = Event()

    class Handler(StreamRefused):
        def do_GET(self) -> None:
            super().do_GET()
            refused.set()

    async def use(url: str) -> str:
        one = connection_to(url, tmp_path, "http")
        client = await one.client()
        await asyncio.to_thread(refused.wait, 30)
        await client.list_tools()
        await one.close()
        return one.error_tail

    with serving(Handler) as server:
        assert "" == asyncio.run(use(f"http://127.0.0.1:{server.server_port}/mcp"))

    assert refused.is_set()
