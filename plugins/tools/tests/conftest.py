"""Fixtures: the tools of one run, called by name, with the answers that a model would read."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from openkoi_hookspecs import Json, Tool, ToolError, ToolProvider, ToolResult
from openkoi_testing import Scenario, make_run
from openkoi_tools import WorkspaceTools


class Hands:
    """Tools for one run in a workspace."""

    def __init__(self, workspace: Path, tools: dict[str, Tool], runner: asyncio.Runner) -> None:
        self.workspace = workspace
        self.tools = tools
        self._runner = runner

    def use(self, tool: str, **arguments: Json) -> ToolResult:
        """Call one tool."""
        return self._runner.run(answered(self.tools[tool], arguments))

    def use_together(self, *calls: tuple[str, dict[str, Json]]) -> list[ToolResult]:
        """Call several tools at the same time."""
        return self.together([(self.tools[tool], arguments) for tool, arguments in calls])

    def together(self, calls: Sequence[tuple[Tool, dict[str, Json]]]) -> list[ToolResult]:
        """Call tools at the same time, also those of other runs."""
        return self._runner.run(all_answered(calls))

    def write(self, path: str, data: bytes | str) -> Path:
        """Put a file into the workspace, behind the tools' back."""
        file = self.workspace / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data if isinstance(data, bytes) else data.encode())
        return file

    def contents(self) -> dict[str, str]:
        """All files of the workspace, by their paths."""
        files = (path for path in self.workspace.rglob("*") if path.is_file() and not path.is_symlink())
        return {path.relative_to(self.workspace).as_posix(): path.read_text() for path in files}

    def have_read(self, path: str, data: bytes | str) -> Path:
        """Put a file into the workspace and read it with the tool."""
        file = self.write(path, data)
        assert not self.use("read_file", path=path).failed
        return file


async def answered(tool: Tool, arguments: dict[str, Json]) -> ToolResult:
    """The text that the model reads; an error is a failed result."""
    try:
        return await tool.call(arguments)
    except ToolError as fault:
        return ToolResult(str(fault), failed=True)


async def all_answered(calls: Sequence[tuple[Tool, dict[str, Json]]]) -> list[ToolResult]:
    """The texts that the model reads for parallel calls."""
    return list(await asyncio.gather(*(answered(*call) for call in calls)))


class Bench:
    """A factory of tools for several runs in one workspace and event loop."""

    def __init__(self, workspace: Path, runner: asyncio.Runner, lent: AsyncExitStack) -> None:
        self._workspace = workspace
        self._runner = runner
        self._lent = lent

    def hands(self, tool_provider: ToolProvider, **settings: object) -> Hands:
        """Return a tool provider's tools for a new run; ``settings`` by dotted key, with ``__`` for each dot."""
        stage = Scenario(settings={key.replace("__", "."): value for key, value in settings.items()})
        return Hands(self._workspace, self._runner.run(self._tools(tool_provider, stage)), self._runner)

    async def _tools(self, tool_provider: ToolProvider, stage: Scenario) -> dict[str, Tool]:
        run = await self._lent.enter_async_context(make_run(self._workspace, stage=stage))
        return {tool.name: tool for tool in await tool_provider.tools(run)}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Tools for any number of runs."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        yield Bench(workspace, runner, stack)
        runner.run(stack.aclose())


@pytest.fixture
def hands(bench: Bench) -> Hands:
    """The tools of one run."""
    return bench.hands(WorkspaceTools())
