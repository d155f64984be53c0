"""Test hidden paths in crowded folders, whose entries are allowed one by one."""

import asyncio
import sys
from pathlib import Path

import pytest

from openkoi_hookspecs import Command
from openkoi_sandbox.landlock import LANDLOCK_LEVEL, LandlockSandbox

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or bool(LANDLOCK_LEVEL.missing()), reason="needs Landlock"
)


def test_a_command_begins_however_much_lies_beside_what_is_hidden(tmp_path: Path) -> None:
    data, workspace = tmp_path / "data", tmp_path / "workspace"
    for folder in (data / "sessions", workspace):
        folder.mkdir(parents=True)
    for number in range(2_000):
        (data / f"{number:04}-{'long' * 15}").touch()

    result = asyncio.run(LandlockSandbox(folder=data / "outputs").execute(Command(["echo", "begun"]), workspace))

    assert (0, "begun\n") == (result.exit_code, result.output)
