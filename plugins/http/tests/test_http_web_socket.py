"""A WebSocket that is refused, closed or deaf is an app that is unavailable."""

import asyncio
import json
import time
from collections.abc import Callable

import pytest

from openkoi_hookspecs import AppUnavailableError
from openkoi_http import WebSocket
from openkoi_testing.servers import ReceivedRequest, ServerResponse
from openkoi_testing.servers.http_server import HttpServer
from openkoi_testing.servers.web_socket import ServerSocket


def serve(use: Callable[[ServerSocket], None]) -> HttpServer:
    """Return a server of sockets at /socket, and of nothing anywhere else."""

    def answer(seen: ReceivedRequest) -> ServerResponse:
        return ServerResponse([], upgrade=use) if seen.path == "/socket" else ServerResponse([b"{}"], status=404)

    return HttpServer(answer)


def echo(socket: ServerSocket) -> None:
    """Send back what comes."""
    for message in socket.receive_all():
        socket.send(message)


def be_deaf(socket: ServerSocket) -> None:
    """Answer nothing, and stay."""
    socket.deaf = True
    list(socket.receive_all())


async def opened(server: HttpServer, path: str = "/socket", *, ping_seconds: float = 20.0) -> float:
    """Open a socket, and wait for something; return after how many seconds it is unavailable."""
    began = time.monotonic()
    with pytest.raises(AppUnavailableError, match="The socket of Pond is closed"):
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
