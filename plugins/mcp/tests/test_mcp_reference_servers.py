"""The official reference servers start, list and answer through OpenKoi, as they are installed from the registries."""

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from documented_plugins import DONE, calling, events_of, shell_with, turn
from reference_servers import npm_package, python_package

from openkoi_hookspecs import events

VERSION = "2026.8.31"


@dataclass(frozen=True, slots=True)
class Reference:
    """A server, a call of it, and a part of the answer. ``{folder}`` stands for the folder of the test."""

    package: str
    program: str
    tool: str
    arguments: Mapping[str, object]
    answer: str
    words: tuple[str, ...] = ()
    python: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    def install(self) -> Path:
        """Return its program; skip the test, with the reason, where it cannot be installed."""
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
    ended = openkoi("Do it")
    (finished,) = events_of(openkoi, events.ToolCallFinished)

    assert f"tool {reference.tool}: " in approved.stdout, approved.stderr
    assert reference.answer in finished.result.text, ended.stderr
    assert (name == "fetch") == finished.result.failed, finished.result.text  # nothing listens at its address


def make_repository(folder: Path) -> None:
    """Make a repository with one commit."""
    identity = ["-c", "user.name=Koi", "-c", "user.email=koi@example.com"]
    for words in (["init", "-q"], ["add", "a.txt"], [*identity, "commit", "-q", "-m", "A pond"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
