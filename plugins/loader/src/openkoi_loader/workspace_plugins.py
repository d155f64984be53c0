"""Manage the plugins of a workspace: installed ones, and those that sources list for it.

Sources are asked at start, and when a task starts. Plugins that are no longer listed are closed as soon as no run uses
them.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import field
from pathlib import Path

from openkoi_base.isolation import ask_source
from openkoi_hookspecs import Koi, PluginEntry, PluginError, PluginSource
from openkoi_hookspecs.lazy_dataclass import dataclass

from .components import Components
from .hooks import Hooks

Root = Path | None


@dataclass(slots=True)
class WorkspacePlugins:
    """The plugins that sources list, and the hooks, by workspace; None is OpenKoi's own."""

    components: Components
    koi: Callable[[], Koi]
    make_hooks: Callable[[], Hooks]
    hooks: dict[Root, Hooks] = field(default_factory=dict)
    listed: dict[tuple[Root, str], list[PluginEntry]] = field(default_factory=dict)
    retired: defaultdict[Root, list[PluginEntry]] = field(default_factory=lambda: defaultdict(list))
    users: Counter[Root] = field(default_factory=Counter)
    asked: Counter[Root] = field(default_factory=Counter)
    locks: defaultdict[Root, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    @asynccontextmanager
    async def in_use(self, workspace: Path, *, again: bool) -> AsyncIterator[Root]:
        """Keep the plugins of a workspace while a run uses them; ask the sources for them ``again``."""
        root = self.root_of(workspace)
        self.users[root] += 1
        try:
            if again or root not in self.hooks:
                await self.refresh(root)
            yield root
        finally:
            self.users[root] -= 1
            await self.leave_retired(root)

    def root_of(self, workspace: Path) -> Root:
        """Return the workspace as it is passed to sources: None for OpenKoi's own, or if there are no sources."""
        own = self.components.plugins.config.workspace
        if workspace == own or not self.components.plugins.plugins("sources"):
            return None
        return None if workspace.resolve() == own.resolve() else workspace.resolve()

    async def refresh(self, root: Root) -> None:
        """Ask the sources, unless they have been asked since this was called."""
        before = self.asked[root]
        async with self.locks[root]:
            if self.asked[root] == before:
                self.asked[root] += 1
                await self.list_plugins(root)

    async def list_plugins(self, root: Root) -> None:
        """Update the plugins that the sources list; unchanged ones stay loaded."""
        plugins = self.components.plugins
        before = plugins.sourced.get(root, [])
        now = [entry for entries in (await self.ask_sources(root)).values() for entry in entries]
        plugins.sourced[root] = now
        self.retired[root] += [entry for entry in before if entry not in now]
        for warning in plugins.shadowed_warnings(root):
            self.components.warn(warning)
        if root not in self.hooks or hooks_among(before) != hooks_among(now):
            await self.register_hooks(root)

    async def ask_sources(self, root: Root = None) -> dict[str, list[PluginEntry]]:
        """Return what each source lists for a workspace. All are asked at the same time."""
        sources = await self.components.all("sources")
        listed = await asyncio.gather(*(self.ask(name, source, root) for name, source in sources.items()))
        return dict(zip(sources, listed, strict=True))

    async def ask(self, name: str, source: PluginSource, root: Root) -> list[PluginEntry]:
        """Return what a source lists; if it fails, report it and keep its previous list."""
        before = {identity_of(entry): entry for entry in self.listed.get((root, name), ())}
        try:
            workspace = root or self.components.plugins.config.workspace
            entries = await ask_source(name, source, self.koi(), workspace)
        except PluginError as error:
            self.components.warn(str(error))
            return [*before.values()]
        self.listed[root, name] = [before.get(identity_of(entry), entry) for entry in entries]
        return self.listed[root, name]

    async def register_hooks(self, root: Root) -> None:
        """Register the installed hooks, and those that are listed for the workspace."""
        hooks = self.make_hooks()
        for error in hooks.register(await self.components.all("hooks", root)):
            self.components.warn(str(error))
        self.hooks[root] = hooks

    async def leave_retired(self, root: Root) -> None:
        """Close plugins that are no longer listed, if no run uses them."""
        if self.users[root] or not self.retired[root]:
            return
        everywhere = [entry for entries in self.components.plugins.sourced.values() for entry in entries]
        gone = [entry for entry in self.retired.pop(root) if entry not in everywhere]
        try:
            await self.components.forget(gone)
        except PluginError as error:
            self.components.warn(str(error))


def identity_of(entry: PluginEntry) -> tuple[str, str, str, str]:
    """Return the identity of an entry: an entry that is listed again with the same identity is not loaded again."""
    return entry.kind, entry.name, entry.origin, entry.version


def hooks_among(entries: list[PluginEntry]) -> list[PluginEntry]:
    return [entry for entry in entries if entry.kind == "hooks"]
