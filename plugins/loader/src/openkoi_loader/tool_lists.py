"""List the tools of a run, asking all tool providers at the same time."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from fnmatch import fnmatchcase

from openkoi_base.isolation import contain_exit, type_error_of
from openkoi_hookspecs import Tool, ToolProvider

ListTools = Callable[[ToolProvider], Awaitable[Sequence[Tool]]]


async def list_tools(
    providers: Mapping[str, ToolProvider], ask: ListTools, patterns: Collection[str], warn: Callable[[str], None]
) -> tuple[Tool, ...]:
    """Return the tools whose names match a pattern; of two tools with the same name, the first is used."""
    listed = await asyncio.gather(*(ask_or_warn(name, one, ask, warn) for name, one in providers.items()))
    known: dict[str, Tool] = {}
    for name, tools in zip(providers, listed, strict=True):
        for tool in tools:
            if tool.name in known:
                warn(f"The tool {tool.name!r} of {name} is ignored, because another tool has that name.")
            known.setdefault(tool.name, tool)
    return tuple(tool for tool in known.values() if any(fnmatchcase(tool.name, one) for one in patterns))


async def ask_or_warn(name: str, provider: ToolProvider, ask: ListTools, warn: Callable[[str], None]) -> Sequence[Tool]:
    try:
        with contain_exit():
            tools = await ask(provider)
        if wrong := type_error_of(tools, Sequence[Tool]):
            raise TypeError(wrong)
        return tools
    except Exception as error:  # a tool provider is a plugin: the run continues with the other tools
        warn(f"Cannot list the tools of {name}: {error}")
        return ()
