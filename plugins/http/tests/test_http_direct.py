"""Test direct connections: they are reused while that is safe, and need no httpx2 for plain requests."""

import asyncio
import gc
import gzip
import os
import socket
import ssl
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import aclosing, suppress
from pathlib import Path

import pytest

from openkoi_hookspecs import AppRejectedError, Json, ProviderUnavailableError
from openkoi_http import ApiClient, AppClient, ResponseLimits
from openkoi_http.authorities import read_authorities
from openkoi_http.connection import MAX_BUFFERED_BYTES
from openkoi_testing.servers.faults import ServerFault
from openkoi_testing.servers.http_server import HttpServer, ServerResponse

PLAIN = """
import asyncio, sys
from openkoi_http import ApiClient

async def ask():
    async with ApiClient(sys.argv[1], headers={"Authorization": "Bearer sk-0123456789"}) as client:
        return await client.get(sys.argv[2])

asyncio.run(ask())
print(*sorted({name.partition(".")[0] for name in sys.modules} & {"httpx2", "httpcore2", "h11", "anyio"}))
"""
FINE = ServerResponse([b'"fine"'])


async def ask_often(url: str, times: int, between: Callable[[], None] = lambda: None) -> list[Json]:
    async with ApiClient(url) as client:
        answers = []
        for _ in range(times):
            answers.append(await client.get("/models"))
            between()
        return answers


def test_requests_one_after_another_share_a_connection() -> None:
    with HttpServer(lambda _: FINE) as server:
        assert ["fine"] * 3 == asyncio.run(ask_often(server.url, 3))
        assert server.connections == 1


def test_requests_at_once_have_a_connection_each() -> None:
    async def ask() -> list[Json]:
        async with ApiClient(server.url) as client:
            return list(await asyncio.gather(*(client.get("/models") for _ in range(3))))

    with HttpServer(lambda _: ServerResponse([b'"fine"'], fault=ServerFault(delay=0.2))) as server:
        assert ["fine"] * 3 == asyncio.run(ask())
        assert server.connections == 3


@pytest.mark.parametrize(
    "fault",
    [ServerFault(headers={"connection": "close"}), ServerFault(framed=False)],
    ids=["which says so", "whose end ends the response"],
)
def test_a_connection_that_the_server_closes_is_replaced(fault: ServerFault) -> None:
    with HttpServer(lambda _: ServerResponse([b'"fine"'], fault=fault)) as server:
        assert ["fine"] * 3 == asyncio.run(ask_often(server.url, 3))
        assert server.connections == 3


def test_a_connection_that_the_server_closed_unseen_is_replaced() -> None:
    """The event loop has not run since, so only the socket has noticed."""
    with HttpServer(lambda _: FINE) as server:

        def hang_up() -> None:
            for connection in tuple(server._open):
                with suppress(OSError):  # the one that was closed before, if the server has not noticed yet
                    connection.shutdown(2)

        assert ["fine"] * 3 == asyncio.run(ask_often(server.url, 3, hang_up))
        assert server.connections == 3


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")  # the first loop did not close its connection
def test_another_event_loop_has_connections_of_its_own() -> None:
    with HttpServer(lambda _: FINE) as server:
        client = ApiClient(server.url)

        async def ask() -> Json:
            return await client.get("/models")

        async def ask_and_close() -> Json:
            async with client:
                return await ask()

        assert ["fine"] * 2 == [asyncio.run(ask()), asyncio.run(ask_and_close())]
        gc.collect()


def test_a_response_that_is_not_read_to_its_end_costs_its_connection() -> None:
    async def begin_and_ask() -> Json:
        async with AppClient(server.url) as client:
            async with aclosing(client.download("/file")) as pieces:
                await anext(pieces)
            return await client.get("/models")

    with HttpServer(lambda seen: ServerResponse([b"x" * 10_000] * 50) if "file" in seen.path else FINE) as server:
        assert asyncio.run(begin_and_ask()) == "fine"
        assert server.connections == 2


def test_a_reader_that_is_slow_lets_the_server_wait() -> None:
    size = 40 * MAX_BUFFERED_BYTES

    async def read_slowly() -> tuple[int, int]:
        async with AppClient(server.url) as client, aclosing(client.download("/file")) as pieces:
            read = len(await anext(pieces))
            for _ in range(50):
                await asyncio.sleep(0)
            ahead = server.sent
            return read + sum([len(piece) async for piece in pieces]), ahead

    with HttpServer(lambda _: ServerResponse([b"x" * 65_536] * (size // 65_536))) as server:
        read, ahead = asyncio.run(read_slowly())

    assert (size, True) == (read, ahead < size)


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("GZIP", gzip.compress), ("identity", bytes)],
)
def test_what_is_compressed_unasked_is_unpacked(encoding: str, pack: Callable[[bytes], bytes]) -> None:
    body = b'"' + b"fine " * 50_000 + b'"'
    fault = ServerFault(headers={"content-encoding": encoding}, body=pack(body), slice=7_000)
    with HttpServer(lambda _: ServerResponse([], fault=fault)) as server:
        assert ["fine " * 50_000] == asyncio.run(ask_often(server.url, 1))


def test_damaged_compression_is_an_error_of_the_server() -> None:
    fault = ServerFault(headers={"content-encoding": "gzip"}, body=b"no gzip")
    with (
        HttpServer(lambda _: ServerResponse([], fault=fault)) as server,
        pytest.raises(ProviderUnavailableError) as caught,
    ):
        asyncio.run(ask_often(server.url, 1))

    assert "ended its response early (it sent damaged compressed data)." in str(caught.value)


def test_a_server_that_does_not_listen_is_said_to_be_out_of_reach() -> None:
    with pytest.raises(ProviderUnavailableError) as caught:
        asyncio.run(ask_often("http://127.0.0.1:9", 1))

    assert "127.0.0.1:9 could not be reached (" in str(caught.value)
    assert "Connect" in str(caught.value)


def test_a_server_that_never_answers_a_handshake_is_out_of_reach() -> None:
    async def ask(port: int) -> None:
        async with ApiClient(f"https://127.0.0.1:{port}", bounds=ResponseLimits(connect_seconds=0.1)) as client:
            await client.get("/models")

    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(ProviderUnavailableError) as caught:
        asyncio.run(ask(silent.getsockname()[1]))

    assert "could not be reached (no answer within 0.1 s)." in str(caught.value)


def modules_after(url: str, path: str, **variables: str) -> str:
    own = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    asked = [sys.executable, "-c", PLAIN, url, path]
    return subprocess.run(asked, capture_output=True, text=True, check=True, env={**own, **variables}).stdout.strip()


def test_a_plain_request_needs_no_httpx2() -> None:
    with HttpServer(lambda _: FINE) as server:
        assert modules_after(server.url, "/models?after=x%20y") == ""


def test_a_request_that_must_be_encoded_is_sent_by_httpx2() -> None:
    with HttpServer(lambda _: FINE) as server:
        assert "httpx2" in modules_after(server.url, "/mod els")
        assert ["/mod%20els"] == [seen.path for seen in server.requests]


def test_a_proxy_is_spoken_to_by_httpx2() -> None:
    with HttpServer(lambda _: FINE) as server:
        assert "httpx2" in modules_after("http://models.example", "/models", http_proxy=server.url)
        assert ["http://models.example/models"] == [seen.path for seen in server.requests]


def test_a_file_of_authorities_is_all_that_is_trusted(tmp_path: Path) -> None:
    with pytest.raises(OSError):  # noqa: PT011 - which of its kinds, OpenSSL decides
        read_authorities(str(tmp_path / "none.pem"), None)

    assert isinstance(read_authorities(None, str(tmp_path)), ssl.SSLContext)
    assert read_authorities(None, None).verify_mode is ssl.CERT_REQUIRED


FILES: list[tuple[bytes, str, dict[str, str]]] = [
    (b"<svg/>", "image/svg+xml", {}),
    (b"  <|im_start|>", "text/plain", {}),
    (b"<a>", "application/octet-stream", {}),
    (b"<html>", "text/html", {"content-disposition": "attachment; filename=a.html"}),
]


@pytest.mark.parametrize(("data", "media_type", "headers"), FILES)
def test_a_file_may_begin_as_a_web_page_does(data: bytes, media_type: str, headers: dict[str, str]) -> None:
    response = ServerResponse([data], type=media_type, fault=ServerFault(headers=headers))
    with HttpServer(lambda _: response) as server:
        assert data == asyncio.run(download(server.url))


def test_a_login_page_is_not_the_file_that_was_asked_for() -> None:
    with (
        HttpServer(lambda _: ServerResponse([b"<html>"], type="text/html; charset=utf-8")) as server,
        pytest.raises(AppRejectedError, match="returned a web page instead of a file"),
    ):
        asyncio.run(download(server.url))


async def download(url: str) -> bytes:
    """Download a file."""
    async with AppClient(url) as client:
        return b"".join([piece async for piece in client.download("/file")])
