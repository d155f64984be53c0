"""List the tools of a run, asking all tool providers at the same time."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Protocol, TypeVar

from openkoi_base.isolation import contain_exit, type_error_of
from openkoi_hookspecs import Run, Tool, ToolProvider

T = TypeVar("T")


class BoundRun(Run, Protocol):
    """A run that limits how long it waits for plugins."""

    async def with_deadline(self, awaited: Awaitable[T]) -> T:
        """Wait for a plugin; raise LimitExceededError."""


async def list_tools(
    toolboxes: Mapping[str, ToolProvider], run: BoundRun, patterns: Collection[str], warn: Callable[[str], None]
) -> tuple[Tool, ...]:
    """Return the tools whose names fit a pattern; of two tools with one name the first is used."""
    listed = await asyncio.gather(*(ask(name, toolbox, run, warn) for name, toolbox in toolboxes.items()))
    known: dict[str, Tool] = {}
    for name, tools in zip(toolboxes, listed, strict=True):
        for tool in tools:
            if tool.name in known:
                warn(f"{name} provides a second tool named {tool.name!r}; it is ignored.")
            known.setdefault(tool.name, tool)
    return tuple(tool for tool in known.values() if any(fnmatchcase(tool.name, one) for one in patterns))


async def ask(name: str, toolbox: ToolProvider, run: BoundRun, warn: Callable[[str], None]) -> Sequence[Tool]:
    try:
        with contain_exit():
            tools = await run.with_deadline(toolbox.tools(run))
        if wrong := type_error_of(tools, Sequence[Tool]):
            raise TypeError(wrong)
        return tools
    except Exception as error:  # a toolbox is a plugin: the run goes on with the other tools
        warn(f"Cannot list the tools of {name}: {error}")
        return ()
