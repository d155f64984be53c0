"""Run the tool calls of a turn: in parallel, but calls about a path that one of them changes in their order."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from posixpath import normpath
from typing import TypeVar

from openkoi_hookspecs import ToolCall

T = TypeVar("T")


async def run_in_order(
    calls: Sequence[ToolCall], reading: Collection[str], execute: Callable[[ToolCall], Awaitable[T]]
) -> list[T]:
    """Return the results of calls in their order; ``reading`` are the tools that change nothing."""

    async def run_group(places: Sequence[int]) -> list[tuple[int, T]]:
        return [(place, await execute(calls[place])) for place in places]

    done = await asyncio.gather(*map(run_group, group_calls(calls, reading)))
    return [result for _, result in sorted((one for group in done for one in group), key=lambda one: one[0])]


def group_calls(calls: Sequence[ToolCall], reading: Collection[str]) -> list[list[int]]:
    """Return groups of places: each contains the calls about one path, if any of them may change it."""
    paths: dict[str, list[int]] = {}
    for place, call in enumerate(calls):
        paths.setdefault(path_of(call) or f"\0{place}", []).append(place)
    groups: list[list[int]] = []
    for places in paths.values():
        changing = any(calls[place].tool not in reading for place in places)
        groups += [places] if changing else [[place] for place in places]
    return groups


def path_of(call: ToolCall) -> str:
    """Return the path that a call names, if it is a text."""
    path = call.arguments.get("path")
    return normpath(path) if isinstance(path, str) and path else ""
