"""Servers that send too much over HTTP: they cost their call, and no memory."""

from pathlib import Path

import pytest
from documented_plugins import calling
from mcp_runs import Pond, pond, served
from test_mcp_stdio import TOO_LONG

SERVER = Path(__file__).with_name("flooding_http_server.py")


def called(folder: Path, transport: str, kind: str) -> tuple[Pond, str]:
    """Call the tool of a server of this kind; return the command line and what it printed."""
    openkoi = pond(folder, calling("pond__count_fish"), server={"enabled": False})
    with served(SERVER, openkoi.calls, transport, kind) as url:
        openkoi.started_with(command="", args=[], url=url, transport=transport).approved()
        return openkoi, openkoi("Do it")


@pytest.mark.parametrize(("transport", "kind"), [("http", "json"), ("http", "gzip"), ("http", "events"), ("sse", "")])
def test_a_message_without_end_costs_the_call_and_the_server_is_disconnected(
    tmp_path: Path, transport: str, kind: str
) -> None:
    openkoi, text = called(tmp_path, transport, kind)

    (result,) = openkoi.results
    assert "The MCP server pond ended during the call" in result
    assert TOO_LONG in result
    assert "Traceback" not in text


@pytest.mark.parametrize(("transport", "kind"), [("http", "long"), ("sse", "long"), ("http", "many")])
def test_a_long_message_and_many_small_ones_are_read(tmp_path: Path, transport: str, kind: str) -> None:
    openkoi, _ = called(tmp_path, transport, kind)

    (result,) = openkoi.results
    assert result.startswith("xxxx" if kind == "long" else "")
    assert TOO_LONG not in result
    assert "MCP server pond" not in result
