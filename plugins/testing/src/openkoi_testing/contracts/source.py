"""Test what every source of plugins promises. Inherit it::

class TestContract(SourceContract):
    subject = Notes()
    files = {"water.note": "Change it weekly."}
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from inspect import isawaitable
from pathlib import Path
from typing import ClassVar

import pytest

from openkoi_hookspecs import Koi, Limits, PluginEntry, PluginSource, Task, events

from ..scenario import FinishedRun, Scenario, make_run, run_scenario


class SourceContract:
    """Set ``subject``, and the ``files`` of a workspace in which the source finds at least one plugin."""

    subject: ClassVar[PluginSource]
    files: ClassVar[Mapping[str, str]]

    @pytest.fixture
    def filled_workspace(self, tmp_path: Path) -> Path:
        """Return a workspace with something to find."""
        workspace = tmp_path / "filled"
        for name, text in self.files.items():
            file = workspace / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return workspace

    def run_task_in(self, workspace: Path) -> FinishedRun:
        """Run a task in a workspace where this source is the only one."""
        stage = Scenario(others={"sources": {"subject": self.subject}})
        return run_scenario(Task("Do it", limits=Limits(iterations=0)), stage, workspace)

    def test_what_it_finds_has_a_kind_a_name_and_an_origin(self, filled_workspace: Path) -> None:
        """Lists show them before the plugin is loaded."""
        listed, _ = asyncio.run(list_twice(self.subject, filled_workspace))

        assert listed
        assert all(entry.kind and entry.name and entry.origin for entry in listed)

    def test_each_plugin_is_listed_once(self, filled_workspace: Path) -> None:
        """Of two plugins with one name, only the first would be used."""
        listed, _ = asyncio.run(list_twice(self.subject, filled_workspace))

        assert len(listed) == len({(entry.kind, entry.name) for entry in listed})

    def test_what_has_not_changed_is_listed_as_the_same_again(self, filled_workspace: Path) -> None:
        """Otherwise, the plugin would be closed and loaded again for each task."""
        first, second = asyncio.run(list_twice(self.subject, filled_workspace))

        assert [identity_of(entry) for entry in first] == [identity_of(entry) for entry in second]

    def test_what_is_in_one_workspace_is_not_listed_for_another(self, filled_workspace: Path, tmp_path: Path) -> None:
        """A task must not get plugins of another project."""
        empty = tmp_path / "empty"
        empty.mkdir()
        there, _ = asyncio.run(list_twice(self.subject, filled_workspace))
        here, _ = asyncio.run(list_twice(self.subject, empty))

        assert not {identity_of(entry) for entry in there} <= {identity_of(entry) for entry in here}

    def test_a_run_uses_what_it_finds_without_a_warning(self, filled_workspace: Path) -> None:
        """A plugin that cannot be loaded, or does not fit its kind, is named in a warning."""
        warnings = [
            one.event.text
            for one in self.run_task_in(filled_workspace).records
            if isinstance(one.event, events.WarningIssued)
        ]

        assert not warnings


async def list_twice(source: PluginSource, workspace: Path) -> tuple[Sequence[PluginEntry], Sequence[PluginEntry]]:
    """List the plugins of a source two times."""
    async with make_run(workspace) as run:
        return await list_plugins(source, run.koi, workspace), await list_plugins(source, run.koi, workspace)


async def list_plugins(source: PluginSource, koi: Koi, workspace: Path) -> Sequence[PluginEntry]:
    """List the plugins of a source once, as the kernel does."""
    found = source.discover(koi, workspace)
    entries: Iterable[PluginEntry] = await found if isawaitable(found) else found
    return [*entries]


def identity_of(entry: PluginEntry) -> tuple[str, str, str, str]:
    """Return the fields that distinguish entries."""
    return entry.kind, entry.name, entry.origin, entry.version
