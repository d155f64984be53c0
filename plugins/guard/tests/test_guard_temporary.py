"""Test temporary files: the run's own are deleted without a question, all others only with one."""

import asyncio
import os
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from openkoi_guard import Guard
from openkoi_hookspecs import Arguments, Ask, Tool, ToolCall, ToolResult
from openkoi_testing import make_run

if os.name != "posix":
    pytest.skip("the temporary folder of POSIX", allow_module_level=True)


async def nothing(arguments: Arguments) -> ToolResult:
    return ToolResult("")


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder below /tmp, wherever this machine keeps its own temporary files."""
    with TemporaryDirectory(dir="/tmp") as name:
        yield Path(name)


def asks(workspace: Path, *commands: str, old: Path | None = None) -> list[str]:
    """Return the commands that ask, in a run that begins before its files are made."""

    async def judged() -> list[str]:
        tool, guard = Tool("run_command", "", {}, nothing), Guard()
        async with make_run(workspace=workspace) as run:
            guard.before_tool(ToolCall("1", "run_command", {"command": "ls"}), tool, run)
            made(old)
            calls = [ToolCall("2", "run_command", {"command": command}) for command in commands]
            found = [call for call in calls if isinstance(guard.before_tool(call, tool, run), Ask)]
            return [str(call.arguments["command"]) for call in found]

    return asyncio.run(judged())


def made(place: Path | None) -> None:
    """Fill a folder with new files, a file as old as a download keeps it, and a link to the outside."""
    if place is None:
        return
    for name in ("new/a", "old/a"):
        (place / name).parent.mkdir(parents=True)
        (place / name).write_text("x")
    os.utime(place / "old" / "a", (time.time() - 60,) * 2)
    (place / "link").symlink_to(place / "old")


def test_what_the_run_has_made_in_the_temporary_folder_is_deleted_unasked(tmp_path: Path, place: Path) -> None:
    harmless = [f"rm -rf {place}/new", f"rm -f {place}/new/a {place}/none", f"rm -rf {place}/none"]

    assert [] == asks(tmp_path, *harmless, old=place)


def test_what_is_older_than_the_run_or_elsewhere_is_asked_about(tmp_path: Path, place: Path) -> None:
    risky = [
        f"rm -rf {place}",
        f"rm -rf {place}/old",
        f"rm -rf {place}/link/a",
        f"rm -rf {place}/link/",
        f"rm -rf {place}/new/*",
        f"rm -rf {place}/new/../old",
        f"mv ~/notes {place}/gone && rm -rf {place}/gone",
        f"ssh web1 'rm -rf {place}/none'",
    ]

    assert risky == asks(tmp_path, *risky, old=place)


def test_what_mktemp_has_made_is_deleted_unasked(tmp_path: Path) -> None:
    harmless = ['t=$(mktemp -d) && cp a "$t" && rm -rf "$t"', "t=`mktemp`; trap 'rm -f \"$t\"' EXIT; make > $t"]
    risky = [
        't=$(mktemp -d); t=~/notes; rm -rf "$t"',
        't=$(mktemp -d); rm -rf "$t"/..',
        't=$(mktemp -d); mv src "$t"; rm -rf "$t"',
        't=$(mktemp -d); for t in *; do rm -rf "$t"; done',
        'rm -rf "$t"',
    ]

    assert risky == asks(tmp_path, *harmless, *risky)
