"""Test the labelled sets of ``tests/data/commands``: all dangerous commands ask, at most 1 % of the others do."""

import asyncio
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from data_files import COMMAND_SETS

from openkoi_guard import Guard
from openkoi_hookspecs import Arguments, Ask, Deny, Tool, ToolCall, ToolResult
from openkoi_testing import make_run

SOURCED = (".env", "env.sh", "scripts/env.sh", "venv/bin/activate")
RECALL = 0.98
FALSE_ALARMS = 0.01


async def nothing(arguments: Arguments) -> ToolResult:
    return ToolResult("")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository that ignores build output, with the settings files that commands read."""
    (tmp_path / ".gitignore").write_text((COMMAND_SETS / "ignored.txt").read_text(encoding="utf-8"), encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for name in SOURCED:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("A=1")
    return tmp_path


def labelled(name: str, label: str) -> list[str]:
    rows = (line.split("\t") for line in (COMMAND_SETS / name).read_text(encoding="utf-8").splitlines())
    return [command.replace("␤", "\n").replace("␉", "\t") for command, given, _ in rows if given == label]


async def stopped(commands: Sequence[str], workspace: Path) -> list[str]:
    """Return the commands that the guard asks about or denies."""
    tool, guard = Tool("run_command", "", {}, nothing), Guard()
    await asyncio.sleep(0.1)  # what a shell reads into itself must be older than the run
    async with make_run(workspace=workspace) as run:
        calls = [ToolCall("1", "run_command", {"command": command}) for command in commands]
        found = [call for call in calls if isinstance(guard.before_tool(call, tool, run), Ask | Deny)]
        return [str(call.arguments["command"]) for call in found]


@pytest.mark.parametrize("name", sorted(file.name for file in COMMAND_SETS.glob("*.tsv")))
def test_98_of_100_dangerous_commands_of_a_set_ask_and_1_of_100_harmless(name: str, repository: Path) -> None:
    dangerous, harmless = labelled(name, "dangerous"), labelled(name, "harmless")
    found, vain = (asyncio.run(stopped(commands, repository)) for commands in (dangerous, harmless))

    assert len(found) >= RECALL * len(dangerous), set(dangerous) - set(found)
    assert len(vain) <= FALSE_ALARMS * len(harmless), vain
