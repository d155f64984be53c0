"""Call one method of a plugin: wait for it if it waits, and name the plugin in whatever it raises."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from inspect import isawaitable
from typing import Any, TypeVar

from openkoi_hookspecs import HookReturn, KoiError, PluginError

from .timeouts import contain_exit

T = TypeVar("T")


@contextmanager
def named_errors(plugin: str, method: str) -> Iterator[None]:
    """Raise what a plugin raises as a PluginError that names it; a KoiError is raised as it is."""
    try:
        with contain_exit():
            yield
    except KoiError:
        raise
    except Exception as error:
        raise PluginError(plugin, method, f"{type(error).__name__}: {error}") from error


async def resolve(answer: HookReturn[T]) -> T | None:
    """Return an answer, after waiting for it where it is one to wait for."""
    return await answer if isawaitable(answer) else answer


def start_task(work: Coroutine[Any, Any, T], *inner: Coroutine[Any, Any, object]) -> asyncio.Task[T]:
    """Start a task that awaits ``inner``; raise KoiError where no event loop runs, as in a plain function."""
    try:
        return asyncio.create_task(work)
    except RuntimeError:
        for one in (work, *inner):
            one.close()
        raise KoiError("No event loop is running. Start, resume and fork runs in an `async def`.") from None
