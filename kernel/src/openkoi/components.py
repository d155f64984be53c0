"""The plugins that fill sockets, each looked at and entered once. Knows kinds and names; knows no run or log."""

import asyncio
from collections.abc import Callable, Collection
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, cast

from openkoi_hookspecs import (
    AgentRunner,
    Checkpoints,
    Compactor,
    ConfigError,
    Evaluator,
    KoiError,
    Memory,
    PluginError,
    Provider,
    Sandbox,
    ToolProvider,
)
from openkoi_isolation import confined, with_timeout
from openkoi_settings import Key, keys

from .absent import Absent, imported, is_absent_judge
from .plugin_factory import NoDataFolder
from .plugins import Plugins, check_socket

REQUIRED_METHODS = {
    "providers": ("models", "chat"),
    "evaluators": ("evaluate",),
    "memory": ("ingest", "search"),
    "tools": ("tools",),
    "sandboxes": ("probe_level", "execute"),
    "checkpoints": ("create", "restore", "diff"),
    "compactors": ("compact",),
    "questions": ("put", "wait", "pending", "answer", "remove"),
    "workers": ("run",),
    "integrations": (),
}
START_TIMEOUT = 10.0


@dataclass(slots=True)
class Components:
    """What is plugged in. ``warn`` hears of what cannot be had."""

    plugins: Plugins
    warn: Callable[[str], None]
    exit_stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    ready: dict[tuple[str, str], Any] = field(default_factory=dict)
    loading: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def plugin(self, kind: str, name: str) -> Any:
        """One plugin, loaded, looked at, and entered if it is an asynchronous context manager."""
        async with self.loading:
            if (kind, name) not in self.ready:
                thing = check_socket(self.plugins.load(kind, name), kind, name, REQUIRED_METHODS.get(kind, ()))
                self.ready[kind, name] = await self.enter(thing, name) if hasattr(thing, "__aenter__") else thing
            return self.ready[kind, name]

    async def enter(self, thing: Any, name: str) -> Any:
        try:
            with confined():
                return await with_timeout(self.exit_stack.enter_async_context(thing), START_TIMEOUT)
        except KoiError:
            raise
        except Exception as error:  # a plugin's own start may raise anything
            raise PluginError(name, "starting", error) from error

    async def all(self, kind: str) -> dict[str, Any]:
        """All plugins of a kind; those that cannot be had are named once and left out."""
        things: dict[str, Any] = {}
        for entry in self.plugins.plugins(kind):
            try:
                things[entry.name] = await self.plugin(kind, entry.name)
            except KoiError as fault:
                self.warn(str(fault))
        return things

    async def configured(self, kind: str) -> Any | None:
        """The one plugin of a kind that the configuration names; None when it names none or has none."""
        key = keys.SELECTORS[kind]
        name = self.plugins.config[key]
        if not name or name == "none":
            return None
        try:
            return await self.plugin(kind, name)
        except KoiError as fault:
            self.warn(f"There is no {short_name(key)}: {fault} Set [use] {short_name(key)}.")
            return None

    async def provider(self, name: str) -> Provider:
        """The provider of this name.

        Raises PluginNotFoundError, PluginError, or NoProviderError when something must be set.
        """
        return cast(Provider, await self.plugin("providers", name))

    async def memory(self) -> Memory | None:
        return await self.configured("memory")

    async def sandbox(self) -> Sandbox | None:
        return await self.configured("sandboxes")

    async def checkpoints(self) -> Checkpoints | None:
        return await self.configured("checkpoints")

    async def compactor(self, name: str) -> Compactor:
        """The compactor of this name; raises PluginNotFoundError or PluginError."""
        return cast(Compactor, await self.plugin("compactors", name))

    async def worker(self, name: str) -> AgentRunner:
        """The worker of this name; raises PluginNotFoundError or PluginError."""
        return cast(AgentRunner, await self.plugin("workers", name))

    async def toolboxes(self) -> dict[str, ToolProvider]:
        return await self.all("tools")

    async def evaluators(self) -> dict[str, Evaluator]:
        """All evaluators, in the order in which they are asked; raises ConfigError for a setting that one refuses."""
        config = self.plugins.config
        place = {name: rank for rank, name in enumerate(config[keys.EVALUATION_ORDER])}
        required = config[keys.REQUIRED_EVALUATORS]
        there = [
            (entry.name, await self.evaluator(entry.name, required)) for entry in self.plugins.plugins("evaluators")
        ]
        return dict(sorted(there, key=lambda named: place.get(named[0], place.get("*", len(place)))))

    async def evaluator(self, name: str, required: Collection[str]) -> Evaluator:
        """One evaluator; if it cannot be loaded, one in its place that says why, so that it is missed."""
        try:
            return cast(Evaluator, await self.plugin("evaluators", name))
        except KoiError as fault:
            if isinstance(fault, ConfigError) and not isinstance(fault, NoDataFolder):
                raise
            self.warn(f"{name} could not evaluate: {fault}")
            return Absent(str(fault), is_absent_judge(name, self.known("evaluators", name), required))

    def known(self, kind: str, name: str) -> object:
        """Return what is known of a plugin that cannot be had: itself if loaded, else its class if imported."""
        targets = (one.target for one in self.plugins.found if (one.kind, one.name) == (kind, name))
        return self.plugins.loaded.get((kind, name), imported(next(targets, "")))


def short_name(key: Key[str]) -> str:
    """Return the name of a setting below ``[use]``."""
    return key.name.partition(".")[2]
