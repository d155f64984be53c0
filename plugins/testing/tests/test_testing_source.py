"""Test that the suite for plugin sources passes with a correct source, and fails with others."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from openkoi_hookspecs import Effect, Koi, PluginEntry, Run, Tool, ToolResult
from openkoi_testing import SourceContract

FILES = {"water.note": "Change it weekly."}


class Note:
    """A tool provider with one tool."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text

    async def tools(self, run: Run) -> Sequence[Tool]:
        """Reading the note."""

        async def read(arguments: object) -> ToolResult:
            return ToolResult(self.text)

        return [Tool(f"read_{self.name}", f"Read the note {self.name}.", {"type": "object"}, read, effect=Effect.READS)]


class Notes:
    """Each file with a note is a tool provider."""

    def discover(self, koi: Koi, workspace: Path) -> Iterable[PluginEntry]:
        """List the notes."""
        return [self.entry(file) for file in sorted(workspace.glob("*.note"))]

    def entry(self, file: Path) -> PluginEntry:
        text = file.read_text()

        async def load() -> object:
            return Note(file.stem, text)

        return PluginEntry("tools", file.stem, str(file), load, version=sha256(text.encode()).hexdigest())


class Forgetful(Notes):
    """A source with unstable entries that load no tool provider."""

    times = 0

    def entry(self, file: Path) -> PluginEntry:
        async def load() -> object:
            return file

        self.times += 1
        return PluginEntry("tools", file.stem, str(file), load, version=str(self.times))


class TestContract(SourceContract):
    subject = Notes()
    files = FILES


class Broken(TestContract):
    """The same suite with a source that breaks promises; not collected by itself."""

    __test__ = False
    subject = Forgetful()


def test_a_source_that_breaks_its_promises_fails(tmp_path: Path) -> None:
    suite = Broken()
    (tmp_path / "water.note").write_text("Change it weekly.")

    with pytest.raises(AssertionError):
        suite.test_what_has_not_changed_is_listed_as_the_same_again(tmp_path)
    with pytest.raises(AssertionError, match=r"it lacks tools\(\), which tools need"):
        suite.test_a_run_uses_what_it_finds_without_a_warning(tmp_path)
