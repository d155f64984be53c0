"""Test that the official reference servers, as installed from registries, start, list tools and answer."""

import asyncio
import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from documented_plugins import DONE, calling, events_of, shell_with, turn
from reference_servers import npm_package, python_package

from openkoi_hookspecs import events
from openkoi_mcp.connection import Connection
from openkoi_mcp.listing import list_definitions
from openkoi_mcp.server_config import ServerConfig, ServerTable

VERSION = "2026.8.31"


@dataclass(frozen=True, slots=True)
class Reference:
    """A server, a call, and a part of its answer. ``{folder}`` stands for the folder of the test."""

    package: str
    program: str
    tool: str
    arguments: Mapping[str, object]
    answer: str
    words: tuple[str, ...] = ()
    python: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    def install(self) -> Path:
        """Return its program; skip the test, with the reason, if it cannot be installed."""
        if self.python:
            return python_package(*self.python, program=self.program)
        return npm_package(f"@modelcontextprotocol/{self.package}@{VERSION}", self.program)


SERVERS = {
    "filesystem": Reference(
        "server-filesystem",
        "mcp-server-filesystem",
        "read_text_file",
        {"path": "{folder}/a.txt"},
        "carp",
        ("{folder}",),
    ),
    "everything": Reference("server-everything", "mcp-server-everything", "get-sum", {"a": 40, "b": 2}, "42"),
    "memory": Reference(
        "server-memory",
        "mcp-server-memory",
        "create_entities",
        {"entities": [{"name": "koi", "entityType": "fish", "observations": ["swims"]}]},
        '"swims"',
        env={"MEMORY_FILE_PATH": "{folder}/memory.json"},
    ),
    "sequential-thinking": Reference(
        "server-sequential-thinking",
        "mcp-server-sequential-thinking",
        "sequentialthinking",
        {"thought": "Count", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1},
        '"thoughtNumber": 1',
    ),
    "git": Reference(
        "", "mcp-server-git", "git_log", {"repo_path": "{folder}"}, "A pond", python=("mcp-server-git==2026.10.19",)
    ),
    "time": Reference(
        "",
        "mcp-server-time",
        "get_current_time",
        {"timezone": "UTC"},
        '"timezone"',
        python=("mcp-server-time==2026.10.19",),
    ),
    "fetch": Reference(
        "", "mcp-server-fetch", "fetch", {"url": "http://127.0.0.1:1/"}, "", python=("mcp-server-fetch==2026.10.24",)
    ),
    "old": Reference(
        "",
        "mcp-server-sqlite",
        "list_tables",
        {},
        "[]",
        ("--db-path", "{folder}/pond.db"),
        python=("mcp-server-sqlite==2025.4.25", "mcp<2"),
    ),
}


def filled(value: Any, folder: Path) -> Any:
    """Return a value with the folder in it."""
    return json.loads(json.dumps(value).replace("{folder}", str(folder)))


@pytest.mark.timeout(400)
@pytest.mark.row("MCP-05", "MCP-06")
@pytest.mark.parametrize("name", SERVERS)
def test_a_reference_server_starts_lists_and_answers(name: str, tmp_path: Path) -> None:
    reference = SERVERS[name]
    program = reference.install()
    call = calling(f"{name}__{reference.tool}", **filled(reference.arguments, tmp_path / "folder"))
    table = filled({"command": str(program), "args": [*reference.words], "env": reference.env}, tmp_path / "folder")
    turns = turn(call, when="contains: Do it, after: 0") + DONE
    openkoi = shell_with(tmp_path, turns=turns, mcp={"servers": {name: {**table, "deferred": False}}})
    (openkoi.folder / "a.txt").write_text("carp")
    make_repository(openkoi.folder)
    approved = openkoi("mcp", "approve", name, "--yes")
    result = openkoi("Do it")
    (finished,) = events_of(openkoi, events.ToolCallFinished)

    assert f"tool {reference.tool}: " in approved.stdout, approved.stderr
    assert reference.answer in finished.result.text, result.stderr
    assert (name == "fetch") == finished.result.failed, finished.result.text  # nothing listens at its address


def server_table(reference: Reference, folder: Path) -> ServerTable:
    """Return how a server is started in a folder."""
    words, env = filled([*reference.words], folder), filled(reference.env, folder)
    return ServerTable(command=str(reference.install()), args=tuple(words), env=env)


def make_repository(folder: Path) -> None:
    """Make a repository with one commit."""
    identity = ["-c", "user.name=Koi", "-c", "user.email=koi@example.com"]
    for words in (["init", "-q"], ["add", "a.txt"], [*identity, "commit", "-q", "-m", "A pond"]):
        subprocess.run(["git", *words], cwd=folder, check=True)


@pytest.mark.campaign
@pytest.mark.timeout(600)
def test_seven_servers_are_ready_with_the_slowest_or_when_the_processors_allow(tmp_path: Path) -> None:
    """Within 1.3 times the larger of the slowest one alone and their summed CPU time over the processors."""
    (tmp_path / "a.txt").write_text("carp")
    make_repository(tmp_path)
    tables = {name: server_table(SERVERS[name], tmp_path) for name in SERVERS if name != "old"}
    alone, together, seconds = asyncio.run(measure(tables, tmp_path))

    bound = max(*alone, seconds / (os.cpu_count() or 1))
    print(f"alone {sum(alone):.2f} s, slowest {max(alone):.2f} s, CPU {seconds:.2f} s, together {together:.2f} s")
    assert together <= 1.3 * bound


async def measure(tables: Mapping[str, ServerTable], folder: Path) -> tuple[list[float], float, float]:
    """Return how long each server needs to be ready alone, how long all need at once, and the CPU time of all."""
    await asyncio.to_thread(import_module, "openkoi_mcp.transport")

    async def ready(name: str) -> Connection:
        connection = Connection(ServerConfig(name, tables[name], "here"), folder, ask_nobody, dict(os.environ))
        await list_definitions(await connection.client())
        return connection

    alone: list[float] = []
    before = children_seconds()
    for name in tables:
        began = monotonic()
        connection = await ready(name)
        alone.append(monotonic() - began)
        await connection.close()
    used, began = children_seconds() - before, monotonic()
    connections = await asyncio.gather(*map(ready, tables))
    together = monotonic() - began
    await asyncio.gather(*(one.close() for one in connections))
    return alone, together, used


def children_seconds() -> float:
    times = os.times()
    return times.children_user + times.children_system


async def ask_nobody(context: object, params: object) -> Any:
    raise AssertionError
