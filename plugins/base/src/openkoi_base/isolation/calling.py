"""Call one method of a plugin: await it if it is asynchronous, and name the plugin in any error that it raises."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from inspect import isawaitable
from pathlib import Path
from typing import Any, TypeVar

from openkoi_hookspecs import HookReturn, Koi, KoiError, PluginEntry, PluginError, PluginSource

from .timeouts import contain_exit, format_error

T = TypeVar("T")
DISCOVERY_TIMEOUT_SECONDS = 10.0


@contextmanager
def named_errors(plugin: str, method: str) -> Iterator[None]:
    """Convert errors of a plugin to a PluginError that names it; raise a KoiError unchanged."""
    try:
        with contain_exit():
            yield
    except KoiError:
        raise
    except Exception as error:
        raise PluginError(plugin, method, format_error(error)) from error


async def resolve(answer: HookReturn[T]) -> T | None:
    """Return an answer; await it first if it is awaitable."""
    return await answer if isawaitable(answer) else answer


def start_task(work: Coroutine[Any, Any, T], *inner: Coroutine[Any, Any, object]) -> asyncio.Task[T]:
    """Start a task that awaits ``inner``; raise KoiError if no event loop is running, as in a plain function."""
    try:
        return asyncio.create_task(work)
    except RuntimeError:
        for one in (work, *inner):
            one.close()
        raise KoiError("No event loop is running. Start, resume and fork runs in an `async def`.") from None


async def ask_source(name: str, source: PluginSource, koi: Koi, workspace: Path) -> list[PluginEntry]:
    """Return what a source lists for a workspace; raises PluginError, with its name, if it fails."""
    try:
        with contain_exit():
            async with asyncio.timeout(DISCOVERY_TIMEOUT_SECONDS):
                found = source.discover(koi, workspace)
                entries = [*(await resolve(found) or ())]
        if strange := [entry for entry in entries if not isinstance(entry, PluginEntry)]:
            raise TypeError(f"it lists a {type(strange[0]).__name__}")
    except Exception as error:  # a source is a plugin: what it would have found is missing, and it is named
        raise PluginError(name, "discover", format_error(error)) from error
    return entries
