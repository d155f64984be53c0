"""Test that a refused, closed or unresponsive WebSocket counts as an unavailable app."""

import asyncio
import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from websockets.sync.server import ServerConnection
from websockets.sync.server import serve as serve_sockets
from wsproto import ConnectionType
from wsproto.connection import Connection as Peer
from wsproto.events import Ping, TextMessage

from openkoi_hookspecs import AppUnavailableError
from openkoi_http import WebSocket
from openkoi_http.network_errors import NetworkError
from openkoi_http.socket_frames import CLOSE, PING, TEXT, MessageParser, encode_frame
from openkoi_testing.servers import ReceivedRequest, ServerResponse
from openkoi_testing.servers.http_server import HttpServer
from openkoi_testing.servers.web_socket import ServerSocket


def serve(use: Callable[[ServerSocket], None]) -> HttpServer:
    """Return a server of sockets at /socket, and of nothing anywhere else."""

    def answer(seen: ReceivedRequest) -> ServerResponse:
        return (
            ServerResponse([], upgrade=use) if seen.path.startswith("/socket") else ServerResponse([b"{}"], status=404)
        )

    return HttpServer(answer)


def echo(socket: ServerSocket) -> None:
    """Echo every message."""
    for message in socket.receive_all():
        socket.send(message)


def be_deaf(socket: ServerSocket) -> None:
    """Answer nothing, and stay connected."""
    socket.deaf = True
    list(socket.receive_all())


async def opened(server: HttpServer, path: str = "/socket", *, ping_seconds: float = 20.0, words: str = "") -> float:
    """Open a socket, and wait for a message; return after how many seconds it is unavailable."""
    began = time.monotonic()
    with pytest.raises(AppUnavailableError, match=rf"The WebSocket of Pond is closed \({words}"):
        async with WebSocket(f"{server.url}{path}", name="Pond", ping_seconds=ping_seconds) as socket:
            await socket.receive()
    return time.monotonic() - began


def test_messages_go_both_ways_from_any_task_and_may_be_large() -> None:
    async def story(server: HttpServer) -> list[int]:
        async with WebSocket(f"{server.url}/socket", name="Pond") as socket:
            sending = [asyncio.create_task(socket.send(json.dumps("x" * size))) for size in (1, 100_000, 2_000_000)]
            received = [len(json.loads(await socket.receive())) for _ in sending]
            await asyncio.gather(*sending)
            return sorted(received)

    with serve(echo) as server:
        assert [1, 100_000, 2_000_000] == asyncio.run(story(server))


def test_a_deaf_socket_is_found_by_its_pings() -> None:
    with serve(be_deaf) as server:
        assert 5.0 > asyncio.run(opened(server, ping_seconds=0.2))


def test_a_socket_that_is_refused_closed_or_nowhere_is_unavailable() -> None:
    with serve(ServerSocket.close) as server:
        asyncio.run(opened(server))
        asyncio.run(opened(server, "/elsewhere"))
    asyncio.run(opened(server))


LOADED = """
import asyncio, sys
from openkoi_http import WebSocket

async def talk():
    async with WebSocket(sys.argv[1], name="Pond") as socket:
        await socket.send('"hello"')
        return await socket.receive()

print(asyncio.run(talk()), *sorted({"httpx2", "httpcore2", "h11", "anyio", "wsproto"} & set(sys.modules)))
"""


def test_a_socket_needs_no_httpx2() -> None:
    """httpx2 takes a third of an idle daemon's memory."""
    with serve(echo) as server:
        command = [sys.executable, "-c", LOADED, f"{server.url}/socket?ticket=a%20b"]
        result = subprocess.run(command, capture_output=True, text=True, check=True)

    assert '"hello"\n' == result.stdout


def test_a_socket_goes_through_the_users_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        with pytest.raises(AppUnavailableError, match="The WebSocket of Pond is closed"):
            async with WebSocket("ws://pond.example/socket", name="Pond"):
                pass

    with HttpServer(lambda _: ServerResponse([b"{}"], status=403)) as proxy:
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        asyncio.run(story())
        assert proxy.connections == 1


@contextmanager
def foreign_server(handle: Callable[[ServerConnection], None]) -> Iterator[str]:
    """Serve WebSockets with another library; yield the address."""
    with serve_sockets(handle, "127.0.0.1", 0, compression=None, ping_interval=0.05) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        server.shutdown()
        thread.join()


def test_another_librarys_server_understands_every_message_and_is_understood() -> None:
    """Sizes at the limits of the three length formats; the server sends pings meanwhile, and sends in pieces."""
    sizes = (0, 1, 125, 126, 65_535, 65_536, 300_000)

    def handle(connection: ServerConnection) -> None:
        for _ in sizes:
            text = connection.recv()
            assert isinstance(text, str)
            connection.send([text[: len(text) // 2], text[len(text) // 2 :]])
        connection.recv()

    async def story(url: str) -> list[str]:
        async with WebSocket(url, name="Pond") as socket:
            received = []
            for size in sizes:
                await socket.send("\u00e9" * size)
                received.append(await socket.receive())
            return received

    with foreign_server(handle) as url:
        assert ["\u00e9" * size for size in sizes] == asyncio.run(story(url))


@pytest.mark.parametrize("seed", range(20))
def test_messages_are_the_same_however_they_are_cut(seed: int) -> None:
    chance, server, expected, sent = random.Random(seed), Peer(ConnectionType.SERVER), [], b""
    for _ in range(30):
        text = "".join(chance.choices("a\u00e9\u20ac\U0001f41f", k=chance.choice((0, 3, 126, 700, 70_000))))
        places = sorted(chance.choices(range(len(text) + 1), k=chance.randrange(3)))
        for start, end in zip([0, *places], [*places, len(text)], strict=True):
            sent += server.send(TextMessage(text[start:end], message_finished=end == len(text)))
            if end == len(text):
                break
            if chance.random() < 0.5:
                sent += server.send(Ping(b"there?"))
                expected.append((PING, b"there?"))
        expected.append((TEXT, text.encode()))

    parser, buffer, found, place = MessageParser(1_000_000), bytearray(), [], 0
    while place < len(sent):
        size = chance.choice((1, 2, 7, 1000, 100_000))
        buffer += sent[place : place + size]
        place += size
        while message := parser.take(buffer):
            found.append(message)

    assert expected == found


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 65_535, 65_536, 200_000])
def test_another_library_reads_our_frames(size: int) -> None:
    server = Peer(ConnectionType.SERVER)

    server.receive_data(encode_frame(TEXT, b"x" * size))

    assert "x" * size == "".join(one.data for one in server.events() if isinstance(one, TextMessage))


@pytest.mark.parametrize(
    "frames",
    [
        b"\xc1\x01a",  # a reserved bit: compressed, which was not offered
        b"\x81\x81\x00\x00\x00\x00a",  # masked, as only clients do
        b"\x83\x01a",  # a kind that does not exist
        b"\x82\x01a",  # bytes, which are no message of these services
        b"\x09\x01a",  # a ping in several frames
        b"\x89\x7e\x00\x7e" + b"a" * 126,  # a ping that is too long
        b"\x80\x01a",  # the rest of a message that was not begun
        b"\x01\x01a\x81\x01b",  # a message within another
        b"\x81\x7f\x00\x00\x00\x00\x00\x00\x10\x01",  # 4097 bytes, of 4096
        b"\x01\x7e\x10\x00" + b"a" * 4096 + b"\x80\x01b",  # as many in two frames
    ],
)
def test_what_no_server_may_send_ends_the_socket(frames: bytes) -> None:
    parser, buffer = MessageParser(4096), bytearray(frames)

    with pytest.raises(NetworkError):
        [parser.take(buffer) for _ in range(3)]


def test_a_large_message_may_be_interrupted_by_a_ping() -> None:
    parser = MessageParser(4)

    buffer = bytearray(b"\x01\x03abc\x89\x05there\x80\x01d")

    assert [(PING, b"there"), (TEXT, b"abcd"), None] == [parser.take(buffer) for _ in range(3)]


def refuse(_: ReceivedRequest) -> ServerResponse:
    """Answer like a server without WebSockets."""
    return ServerResponse([b"{}"])


def test_a_server_without_sockets_is_named() -> None:
    with HttpServer(refuse) as server:
        asyncio.run(opened(server, words="the server answered with status 200"))


def send_bytes(socket: ServerSocket) -> None:
    """Send invalid text."""
    socket._write(TEXT, b"\xff")
    list(socket.receive_all())


def test_the_end_says_why() -> None:
    for use, words in (
        (ServerSocket.close, "the server closed it"),
        (be_deaf, "the server did not answer a ping"),
        (send_bytes, "it sent text that is not UTF-8"),
        (lambda _: None, "the connection was closed"),
    ):
        with serve(use) as server:
            asyncio.run(opened(server, ping_seconds=0.1, words=words))


def test_what_is_sent_over_a_closed_connection_is_not_lost_silently() -> None:
    async def story(server: HttpServer) -> None:
        async with WebSocket(f"{server.url}/socket", name="Pond") as socket:
            with pytest.raises(AppUnavailableError):
                await socket.receive()
            with pytest.raises(AppUnavailableError, match="closed"):
                await socket.send("hello")

    with serve(ServerSocket.close) as server:
        asyncio.run(story(server))


def test_the_server_learns_that_the_socket_is_closed() -> None:
    kinds: list[int] = []

    def note(socket: ServerSocket) -> None:
        while frame := socket._read():
            kinds.append(frame[0])

    async def story(server: HttpServer) -> None:
        async with WebSocket(f"{server.url}/socket", name="Pond") as socket:
            await socket.send("hello")

    with serve(note) as server:
        asyncio.run(story(server))

    assert [TEXT, CLOSE] == kinds
