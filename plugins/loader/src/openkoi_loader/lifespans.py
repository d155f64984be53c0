"""Start up and shut down plugins that are asynchronous context managers: enter them, and exit them at the end.

Each is entered and exited in its own task, because cancel scopes and task groups require that.
"""

import asyncio
from collections.abc import Callable, Hashable, Iterable
from contextlib import AbstractAsyncContextManager
from dataclasses import field
from typing import Any

from openkoi_base.isolation import contain_exit, format_error
from openkoi_hookspecs import KoiError, PluginError
from openkoi_hookspecs.lazy_dataclass import dataclass

START_TIMEOUT_SECONDS = 10.0


@dataclass(slots=True)
class Lifespan:
    """One plugin from its entry to its exit."""

    name: str
    plugin: AbstractAsyncContextManager[Any]
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    entered: asyncio.Future[Any] = field(init=False)
    task: asyncio.Task[None] = field(init=False)

    def __post_init__(self) -> None:
        self.entered = asyncio.get_running_loop().create_future()
        self.task = asyncio.create_task(self.live())

    async def live(self) -> None:
        """Enter the plugin, wait until it is no longer needed, and exit it."""
        try:
            with contain_exit():
                async with self.plugin as entered:
                    self.entered.set_result(entered)
                    await self.stop.wait()
        except Exception as error:  # a plugin may raise anything when it starts and when it ends
            if self.entered.done():
                raise PluginError(self.name, "shutdown", format_error(error)) from error
            self.entered.set_exception(error)

    async def enter(self) -> Any:
        """Return the object that entering the plugin yields; raise KoiError if it fails or is late."""
        try:
            async with asyncio.timeout(START_TIMEOUT_SECONDS):
                return await asyncio.shield(self.entered)
        except KoiError:
            raise
        except Exception as error:
            late = isinstance(error, TimeoutError) and not self.entered.done()
            cause = f"it took longer than {START_TIMEOUT_SECONDS:g} s" if late else error
            raise PluginError(self.name, "startup", cause) from error
        finally:
            if not self.entered.done():
                self.task.cancel()


@dataclass(slots=True)
class Lifespans:
    """The entered plugins, in order. ``warn`` is called if one ends before it is exited."""

    warn: Callable[[str], None]
    entered: dict[Hashable, Lifespan] = field(default_factory=dict)

    async def enter(self, key: Hashable, name: str, plugin: object) -> Any:
        """Enter a plugin if it is an asynchronous context manager; return the object to use."""
        if not isinstance(plugin, AbstractAsyncContextManager):
            return plugin
        lifespan = Lifespan(name, plugin)
        usable = await lifespan.enter()
        self.entered[key] = lifespan
        lifespan.task.add_done_callback(lambda task: self.note_end(lifespan, task))
        return usable

    def note_end(self, lifespan: Lifespan, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error and not lifespan.stop.is_set():
            self.warn(str(error))

    def set_aside(self, key: Hashable) -> None:
        """Free this key for another plugin; the entered one is exited at the end."""
        if lifespan := self.entered.pop(key, None):
            self.entered[object()] = lifespan

    async def leave(self, keys: Iterable[Hashable]) -> None:
        """Exit plugins, the last one first; raise the first error when all have been exited."""
        errors: list[PluginError] = []
        for key in reversed([*keys]):
            lifespan = self.entered.pop(key, None)
            if lifespan and not lifespan.task.cancelled():  # as by a plugin that cancelled all tasks
                lifespan.stop.set()
                try:
                    await lifespan.task
                except PluginError as error:
                    errors.append(error)
        if errors:
            raise errors[0]
