"""Test servers that send too much over HTTP: only the call fails, and memory stays bounded."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
from documented_plugins import calling
from mcp_runs import Pond, pond, served
from test_mcp_stdio import REFUSED, TOO_LONG, TOO_MANY

from openkoi_mcp.error_output import ErrorOutput
from openkoi_mcp.message_limits import EVENT_STREAM, MAX_VALUES, MessageTooLargeError, limit_response

COMPRESSED = REFUSED.format("a compressed response, which OpenKoi did not request")
SERVER = Path(__file__).with_name("flooding_http_server.py")


def called(folder: Path, transport: str, kind: str) -> tuple[Pond, str]:
    """Call the tool of a server of this kind; return the command line and its output."""
    openkoi = pond(folder, calling("pond__count_fish"), server={"enabled": False})
    with served(SERVER, openkoi.calls, transport, kind) as url:
        openkoi.started_with(command="", args=[], url=url, transport=transport).approved()
        return openkoi, openkoi("Do it")


@pytest.mark.parametrize(
    ("transport", "kind", "why"),
    [
        ("http", "json", TOO_LONG),
        ("http", "events", TOO_LONG),
        ("sse", "", TOO_LONG),
        ("http", "values", TOO_MANY),
        ("http", "event values", TOO_MANY),
        ("sse", "values", TOO_MANY),
        ("http", "gzip", COMPRESSED),
    ],
)
def test_a_message_that_is_too_large_costs_the_call_and_the_server_is_disconnected(
    tmp_path: Path, transport: str, kind: str, why: str
) -> None:
    openkoi, text = called(tmp_path, transport, kind)

    (result,) = openkoi.results
    assert "The MCP server pond ended during the call" in result
    assert why in result
    assert "Traceback" not in text


@pytest.mark.parametrize(("transport", "kind"), [("http", "long"), ("sse", "long"), ("http", "many")])
def test_a_long_message_and_many_small_ones_are_read(tmp_path: Path, transport: str, kind: str) -> None:
    openkoi, _ = called(tmp_path, transport, kind)

    (result,) = openkoi.results
    assert result.startswith("xxxx" if kind == "long" else "")
    assert TOO_LONG not in result
    assert "MCP server pond" not in result


def test_events_are_limited_each_however_they_arrive() -> None:
    async def read(data: bytes, size: int) -> bytes:
        async def chunks() -> AsyncIterator[bytes]:
            for start in range(0, len(data), size):
                yield data[start : start + size]

        response = httpx2.Response(200, headers={"content-type": EVENT_STREAM}, content=chunks())
        await limit_response(ErrorOutput(), response)
        return await response.aread()

    half = b"data: [" + b"1," * (MAX_VALUES // 2 - 2) + b"1]"
    for end in (b"\n\n", b"\r\r", b"\r\n\r\n", b"\r\n\n", b"\n\r"):
        whole = (half + end) * 4
        for size in (61, 64, len(half) + 1, len(half) + 3, len(whole)):
            assert whole == asyncio.run(read(whole, size))
    with pytest.raises(MessageTooLargeError, match="more than 200,000 values"):
        asyncio.run(read((half + b"\n") * 4, 2**16))
