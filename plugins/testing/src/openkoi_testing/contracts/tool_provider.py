"""Test what every tool provider promises. Inherit it::

    class TestContract(ToolProviderContract):
        subject = WorkspaceTools()

The tools are listed for real runs; a tool is called only without its required arguments, which it must refuse.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from string import Formatter
from typing import ClassVar

import pytest

from openkoi_hookspecs import Effect, Json, Tool, ToolError, ToolProvider, ToolResult

from ..scenario import make_run
from .tool_schema import find_schema_errors

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class ToolProviderContract:
    """Set ``subject``; if the provider must be started first, override the fixture ``tool_provider`` instead."""

    subject: ClassVar[ToolProvider]

    @pytest.fixture
    def tool_provider(self) -> ToolProvider:
        """Return the tool provider under test."""
        return self.subject

    @pytest.fixture
    def tools(self, tool_provider: ToolProvider, tmp_path: Path) -> list[Tool]:
        """Return the tools of one run."""
        return asyncio.run(list_tools(tool_provider, tmp_path))

    def test_names_are_such_as_every_vendor_takes_and_each_is_there_once(self, tools: list[Tool]) -> None:
        """A model calls a tool by its name."""
        names = [tool.name for tool in tools]

        assert all(NAME.fullmatch(name) for name in names), names
        assert len(set(names)) == len(names)

    def test_every_tool_says_what_it_is_for(self, tools: list[Tool]) -> None:
        """A description is all that a model gets to know a tool by."""
        silent = [tool.name for tool in tools if not tool.description.strip()]

        assert not silent

    def test_parameters_are_the_schema_of_an_object(self, tools: list[Tool]) -> None:
        """Arguments are named, and required ones exist."""
        wrong = [tool.name for tool in tools if tool.parameters.get("type") != "object"]
        errors = [f"{tool.name}: {error}" for tool in tools for error in find_schema_errors(tool.parameters)]

        assert not wrong
        assert not errors, "\n".join(errors)
        assert all(name in parameters_of(tool) for tool in tools for name in required_of(tool))

    def test_the_progress_text_names_only_existing_arguments(self, tools: list[Tool]) -> None:
        """``Reading {path}`` needs a path."""
        for tool in tools:
            fields = {field for _, field, _, _ in Formatter().parse(tool.progress_text) if field}

            assert fields <= set(parameters_of(tool)), tool.name

    def test_effects_are_declared(self, tools: list[Tool]) -> None:
        """A tool that only reads may be repeated after a crash."""
        assert all(isinstance(tool.effect, Effect) for tool in tools)

    def test_the_same_run_is_offered_the_same_tools_again(self, tool_provider: ToolProvider, tmp_path: Path) -> None:
        """The definitions that a model sees must not change, or the prompt cannot be cached."""
        first, second = asyncio.run(list_tools_twice(tool_provider, tmp_path))

        assert schema_text(first) == schema_text(second)

    def test_two_runs_at_the_same_time_are_offered_tools_of_their_own(
        self, tool_provider: ToolProvider, tmp_path: Path
    ) -> None:
        """One tool provider serves all runs."""
        first, second = asyncio.run(list_tools_for_two_runs(tool_provider, tmp_path))

        assert schema_text(first) == schema_text(second)

    def test_a_call_without_what_is_required_fails_with_a_sentence(
        self, tool_provider: ToolProvider, tmp_path: Path
    ) -> None:
        """The model reads the error and tries again; any other exception is a fault of the plugin."""
        answers = asyncio.run(call_without_arguments(tool_provider, tmp_path))

        assert all(answer.failed and " " in answer.text.strip() for answer in answers), answers


@asynccontextmanager
async def enter_tool_provider(tool_provider: ToolProvider) -> AsyncIterator[ToolProvider]:
    """Enter a tool provider that supports it, as the kernel does."""
    async with AsyncExitStack() as stack:
        if isinstance(tool_provider, AbstractAsyncContextManager):
            await stack.enter_async_context(tool_provider)
        yield tool_provider


async def list_tools(tool_provider: ToolProvider, workspace: Path) -> list[Tool]:
    """List the tools for a run."""
    async with enter_tool_provider(tool_provider), make_run(workspace) as run:
        return list(await tool_provider.tools(run))


async def list_tools_twice(tool_provider: ToolProvider, workspace: Path) -> tuple[Sequence[Tool], Sequence[Tool]]:
    """List the tools for one run, two times."""
    async with enter_tool_provider(tool_provider), make_run(workspace) as run:
        return await tool_provider.tools(run), await tool_provider.tools(run)


async def list_tools_for_two_runs(
    tool_provider: ToolProvider, workspace: Path
) -> tuple[Sequence[Tool], Sequence[Tool]]:
    """List the tools for two runs in one workspace, at the same time."""
    async with enter_tool_provider(tool_provider), make_run(workspace) as one, make_run(workspace) as other:
        first, second = await asyncio.gather(tool_provider.tools(one), tool_provider.tools(other))
        return first, second


async def call_without_arguments(tool_provider: ToolProvider, workspace: Path) -> list[ToolResult]:
    """Call each tool that requires something, with nothing."""
    async with enter_tool_provider(tool_provider), make_run(workspace) as run:
        return [await call_empty(tool) for tool in await tool_provider.tools(run) if required_of(tool)]


async def call_empty(tool: Tool) -> ToolResult:
    """Call a tool with nothing; an error is a failed result, as in a run."""
    try:
        return await tool.call({})
    except ToolError as fault:
        return ToolResult(str(fault), failed=True)


def parameters_of(tool: Tool) -> dict[str, Json]:
    """Return the parameters of a tool, by name."""
    found = tool.parameters.get("properties", {})
    return found if isinstance(found, dict) else {}


def required_of(tool: Tool) -> list[Json]:
    """Return the names of the required parameters."""
    found = tool.parameters.get("required", [])
    return found if isinstance(found, list) else []


def schema_text(tools: Sequence[Tool]) -> str:
    """Return the definitions that a model sees, in order."""
    return json.dumps([[tool.name, tool.description, dict(tool.parameters)] for tool in tools])
