"""Test that a resumed run knows what it was shown, and a new one has nothing to look up."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import cast

import pytest

from openkoi_hookspecs import KoiError, Record, Run, Task, ToolCall, events
from openkoi_scripted import Scripted
from openkoi_testing import Scenario, make_run
from openkoi_tools import WorkspaceTools

READ = ToolCall("1", "read_file", {"path": "a.txt"})
EDIT = ToolCall("2", "edit_file", {"path": "a.txt", "search": "blue", "replace": "green"})


class Unreadable:
    """A run in a session that cannot be read."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def __getattr__(self, name: str) -> object:
        return getattr(self.run, name)

    def records(self, session: str) -> Iterable[Record]:
        """Read nothing."""
        raise KoiError(f"The session {session!r} cannot be read.")


def test_a_run_that_is_resumed_may_edit_what_it_was_shown_before(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a.txt").write_text("the blue gateway\n")

    asyncio.run(interrupted_and_resumed(tmp_path / "work", tmp_path / "home"))

    assert "the green gateway\n" == (tmp_path / "work" / "a.txt").read_text()


async def interrupted_and_resumed(work: Path, home: Path) -> None:
    """A run whose model fails after reading, resumed by another process with another model."""
    async with Scenario(model=Scripted([READ], repeat_last=False)).build_app(work, home) as before:
        with pytest.raises(KoiError):
            await before.solve(Task("Make it green"))
        records = list(before.records(before.session))
    (run,) = {record.run for record in records if isinstance(record.event, events.TaskStarted)}
    async with Scenario(says=[EDIT, "Done."]).build_app(work, home) as after:
        await after.resume(run).result()


def test_a_run_that_begins_does_not_read_the_session(tmp_path: Path) -> None:
    async def begun() -> int:
        async with make_run(tmp_path) as run:
            return len(await WorkspaceTools().tools(cast(Run, Unreadable(run))))  # all else of it is the run's

    assert 8 == asyncio.run(begun())
