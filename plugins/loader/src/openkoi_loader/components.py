"""Load, check and enter the plugins in use, each once."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Hashable, Sequence
from contextvars import ContextVar
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any, cast

from openkoi_base.isolation import report_lateness
from openkoi_hookspecs import (
    AgentRunner,
    Checkpoints,
    Compactor,
    ConfigError,
    Evaluator,
    KoiError,
    Memory,
    PluginEntry,
    PluginError,
    PluginNotFoundError,
    Provider,
    Sandbox,
    ToolProvider,
)
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_settings import Key, keys, plugin_keys

from .lifespans import Lifespans
from .missing_evaluator import Absent, find_imported, is_absent_judge
from .plugin_factory import NoDataFolderError
from .plugins import Plugins, load_isolated

REQUIRED_METHODS = {
    "providers": ("models", "chat"),
    "evaluators": ("evaluate",),
    "memory": ("ingest", "search"),
    "tools": ("tools",),
    "sandboxes": ("probe_level", "execute"),
    "checkpoints": ("create", "restore", "diff"),
    "compactors": ("compact",),
    "questions": ("put", "wait", "pending", "answer", "remove"),
    "budgets": ("reserve", "settle", "days"),
    "embedders": ("embed",),
    "sources": ("discover",),
    "workers": ("run",),
    "integrations": ("watch", "send"),
    "frontends": ("run",),
}
OTHER_METHODS = {"integrations": ("read_document", "write_document", "list_documents")}
LOAD_TIMEOUT_SECONDS = 5.0  # seconds
LOADING: ContextVar[tuple[Hashable, ...]] = ContextVar("loading", default=())


async def nothing_more() -> None:
    """List no further plugins."""


def missing_methods(plugin: object, names: Sequence[str]) -> list[str]:
    """Return the names of the methods that a plugin lacks."""
    return [name for name in names if not callable(getattr(plugin, name, None))]


@dataclass(slots=True)
class Components:
    """The plugins in use. ``warn`` reports those that cannot be loaded; ``discover`` lets sources list plugins.

    ``root`` is a workspace for which sources list plugins; None is OpenKoi's own workspace.
    """

    plugins: Plugins
    warn: Callable[[str], None]
    discover: Callable[[], Awaitable[None]] = nothing_more
    lifespans: Lifespans = field(init=False)
    made: dict[Hashable, object] = field(default_factory=dict)
    loaded: dict[Hashable, Any] = field(default_factory=dict)
    locks: defaultdict[Hashable, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    def __post_init__(self) -> None:
        self.lifespans = Lifespans(self.warn)
        self.plugins.load = self.plugin

    async def plugin(self, kind: str, name: str, root: Path | None = None) -> Any:
        """Return one plugin, loaded, checked, and entered if it is an asynchronous context manager.

        Raise PluginNotFoundError, ConfigError, NoProviderError or PluginError.
        """
        if (kind, name) in self.loaded:
            return self.loaded[kind, name]
        entry = self.plugins.find(kind, name, root)
        if entry is None:
            await self.discover()
            entry = self.plugins.find(kind, name, root)
        if entry is None:
            raise PluginNotFoundError(kind, name, tuple(one.name for one in self.plugins.plugins(kind, root)))
        return await self.load(entry, self.key_of(entry, root))

    def key_of(self, entry: PluginEntry, root: Path | None) -> Hashable:
        """Return the key: installed plugins are loaded once for all workspaces, listed ones once per entry."""
        return entry if self.plugins.is_sourced(entry, root) else (entry.kind, entry.name)

    async def load(self, entry: PluginEntry, key: Hashable) -> Any:
        """Load an entry, only once even if several callers wait for it."""
        if key in self.loaded:
            return self.loaded[key]
        if key in LOADING.get():
            raise PluginError(entry.name, "loading", "it depends on itself, directly or through its dependencies")
        async with self.locks[key]:
            if key not in self.loaded:
                before = LOADING.set((*LOADING.get(), key))
                try:
                    self.loaded[key] = await self.start(entry, key)
                finally:
                    LOADING.reset(before)
        return self.loaded[key]

    async def start(self, entry: PluginEntry, key: Hashable) -> Any:
        if key is entry:  # a source lists it
            entry = self.plugins.choose_process(entry)
        with report_lateness(LOAD_TIMEOUT_SECONDS, partial(self.report_late, entry.name)):
            self.made[key] = await load_isolated(entry, self.warn)
        plugin = await self.lifespans.enter(key, entry.name, self.made[key])
        missing = missing_methods(plugin, REQUIRED_METHODS.get(entry.kind, ()))
        if missing and missing_methods(plugin, OTHER_METHODS.get(entry.kind, missing)):
            await self.lifespans.leave([key])
            raise PluginError(entry.name, "loading", f"it lacks {' and '.join(missing)}(), which {entry.kind} need")
        return plugin

    def report_late(self, plugin: str, late: str) -> None:
        """Warn about a plugin that took long to load."""
        from openkoi_base.side_effects.effect_text import describe_effects

        self.warn(describe_effects(plugin, "loading", late))

    async def all(self, kind: str, root: Path | None = None) -> dict[str, Any]:
        """Return all plugins of a kind, started at the same time; report those that cannot be loaded."""
        entries = {self.key_of(entry, root): entry for entry in self.plugins.plugins(kind, root)}
        if waiting := [key for key in entries if key not in self.loaded]:
            await asyncio.gather(*(self.load_or_warn(entries[key], key) for key in waiting))
        return {entry.name: self.loaded[key] for key, entry in entries.items() if key in self.loaded}

    async def load_or_warn(self, entry: PluginEntry, key: Hashable) -> None:
        try:
            await self.load(entry, key)
        except KoiError as error:
            self.warn(str(error))

    async def configured_plugin(self, kind: str) -> Any | None:
        """Return the plugin of a kind that the configuration names; None if there is none."""
        if not (name := self.plugins.config.chosen_name(kind)):
            return None
        try:
            return await self.plugin(kind, name)
        except KoiError as error:
            setting = short_name(keys.SELECTORS[kind])
            self.warn(f"Running without {setting}: {error} Check `{setting}` under [use] in the config file.")
            return None

    async def provider(self, name: str) -> Provider:
        """Return the provider of this name.

        Raise PluginNotFoundError, PluginError, or NoProviderError if a setting is missing.
        """
        return cast(Provider, await self.plugin("providers", name))

    async def memory(self) -> Memory | None:
        return await self.configured_plugin("memory")

    async def sandbox(self) -> Sandbox | None:
        return await self.configured_plugin("sandboxes")

    async def checkpoints(self) -> Checkpoints | None:
        return await self.configured_plugin("checkpoints")

    async def compactor(self, name: str, root: Path | None = None) -> Compactor:
        """Return the compactor of this name; raise PluginNotFoundError or PluginError."""
        return cast(Compactor, await self.plugin("compactors", name, root))

    async def worker(self, name: str, root: Path | None = None) -> AgentRunner:
        """Return the worker of this name; raise PluginNotFoundError or PluginError."""
        return cast(AgentRunner, await self.plugin("workers", name, root))

    async def tool_providers(self, root: Path | None = None) -> dict[str, ToolProvider]:
        return await self.all("tools", root)

    async def evaluators(self, root: Path | None = None) -> dict[str, Evaluator]:
        """Return all evaluators, in their order; raise ConfigError for an invalid setting of one."""
        config = self.plugins.config
        place = {name: rank for rank, name in enumerate(config[plugin_keys.EVALUATION_ORDER])}
        required = config[plugin_keys.REQUIRED_EVALUATORS]
        names = [entry.name for entry in self.plugins.plugins("evaluators", root)]
        there = [(name, await self.evaluator(name, required, root)) for name in names]
        return dict(sorted(there, key=lambda named: place.get(named[0], place.get("*", len(place)))))

    async def evaluator(self, name: str, required: Collection[str], root: Path | None) -> Evaluator:
        """Return one evaluator; if it cannot be loaded, a substitute that reports why."""
        try:
            return cast(Evaluator, await self.plugin("evaluators", name, root))
        except KoiError as error:
            if isinstance(error, ConfigError) and not isinstance(error, NoDataFolderError):
                raise
            self.warn(f"{name} could not evaluate: {error}")
            return Absent(str(error), is_absent_judge(name, self.find_known("evaluators", name), required))

    def find_known(self, kind: str, name: str) -> object:
        """Return the object of a plugin that cannot be loaded if it was created, else its class if it was imported."""
        targets = (one.target for one in self.plugins.found if (one.kind, one.name) == (kind, name))
        return self.made.get((kind, name), find_imported(next(targets, "")))

    def load_again(self, kind: str, name: str) -> None:
        """Discard a plugin, so that its next use loads it again; current users keep theirs."""
        self.loaded.pop((kind, name), None)
        self.lifespans.set_aside((kind, name))

    async def forget(self, entries: Collection[PluginEntry]) -> None:
        """Close plugins that are no longer listed."""
        for entry in entries:
            self.loaded.pop(entry, None)
        await self.lifespans.leave(entries)

    async def close(self) -> None:
        """Close all plugins, the last one first."""
        await self.lifespans.leave(self.lifespans.entered)


def short_name(key: Key[str]) -> str:
    """Return the name of a setting below ``[use]``."""
    return key.name.partition(".")[2]
