"""A test MCP server that answers calls over HTTP like a broken or hostile server.

python flooding_http_server.py CALLS (--http PORT | --sse PORT) KIND
"""

import json
import sys
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import SimpleQueue
from typing import Any

CALLS, TRANSPORT, PORT, KIND = sys.argv[1:]
WORD = b"x" * 2**20
MIB = 2**20
TEXT = b'{"jsonrpc": "2.0", "id": %d, "result": {"content": [{"type": "text", "text": "'
TOOL = {
    "name": "count_fish",
    "description": "Count fish.",
    "inputSchema": {"type": "object", "properties": {}},
    "annotations": {"readOnlyHint": True},
}
streams: list[SimpleQueue[Iterator[bytes]]] = []  # what is to be sent on each stream; the last one is in use


def answer(number: int, mebibytes: int) -> Iterator[bytes]:
    """Yield an answer with this many MiB of text; endless if negative."""
    yield TEXT % number
    while mebibytes:
        yield WORD
        mebibytes -= 1
    yield b'"}]}}'


def many_values(number: int) -> Iterator[bytes]:
    """Yield an answer with so many empty texts that it takes gigabytes once parsed."""
    yield TEXT % number + b'"}'
    for _ in range(2**9):
        yield b',{"type":"text","text":""}' * 2**10
    yield b"]}}"


def as_event(parts: Iterator[bytes]) -> Iterator[bytes]:
    yield b': a comment with a "\nevent: message\ndata: '
    yield from parts
    yield b"\r\n\r\n"


def compressed(parts: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a text compressed by gzip: a MiB of the same letter becomes a KiB."""
    packer = zlib.compressobj(wbits=31)
    for part in parts:
        yield packer.compress(part) + packer.flush(zlib.Z_SYNC_FLUSH)


def many_events(number: int) -> Iterator[bytes]:
    """Yield 40 MiB of notifications, and then the answer."""
    notice = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "y" * MIB}}
    for _ in range(40):
        yield from as_event(iter([json.dumps(notice).encode()]))
    yield from as_event(answer(number, 0))


class Handler(BaseHTTPRequestHandler):
    """Answers a client's requests; calls according to the server's kind."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        """Open the stream of the older transport."""
        if TRANSPORT != "--sse":
            self.reply(405, iter([b""]))
            return
        self.reply(200, self.stream(), "text/event-stream")

    def stream(self) -> Iterator[bytes]:
        streams.append(waiting := SimpleQueue[Iterator[bytes]]())
        yield b"event: endpoint\ndata: /messages\n\n"
        while True:
            yield from as_event(waiting.get())

    def do_POST(self) -> None:
        """Answer a message."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "id" not in asked:
            self.reply(202, iter([b""]))
            return
        if TRANSPORT == "--sse":
            streams[-1].put(self.answered(asked))
            self.reply(202, iter([b"Accepted"]))
            return
        called = asked["method"] == "tools/call"
        if called and KIND in ("events", "event values", "many"):
            parts = many_events(asked["id"]) if KIND == "many" else as_event(self.answered(asked))
            self.reply(200, parts, "text/event-stream")
        elif called and KIND == "gzip":
            self.reply(200, compressed(self.answered(asked)), encoding="gzip")
        else:
            self.reply(200, self.answered(asked))

    def answered(self, asked: Any) -> Iterator[bytes]:
        """Return the answer, in parts."""
        number, version = asked["id"], asked.get("params", {}).get("protocolVersion")
        info = {"name": "flooding", "version": "1"}
        match asked["method"]:
            case "tools/call":
                Path(CALLS).write_text("called\n")
                return many_values(number) if "values" in KIND else answer(number, 16 if KIND == "long" else -1)
            case "initialize":
                result: Any = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
            case "tools/list":
                result = {"tools": [TOOL]}
            case _:
                result = {}
        return iter([json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode()])

    def reply(self, status: int, parts: Iterator[bytes], kind: str = "application/json", encoding: str = "") -> None:
        """Send a response in chunks."""
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("transfer-encoding", "chunked")
        if encoding:
            self.send_header("content-encoding", encoding)
        self.end_headers()
        try:
            for part in filter(None, parts):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.close_connection = True


ThreadingHTTPServer(("127.0.0.1", int(PORT)), Handler).serve_forever()
