"""List the available plugins, and load them. Installed plugins are not loaded until used."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from openkoi_base.isolation import format_error, must_end
from openkoi_base.redact import Redactor
from openkoi_hookspecs import ConfigError, KoiError, NoProviderError, PluginEntry, PluginError, PluginNotFoundError
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_settings import Config, Setting, plugin_keys

from .plugin_discovery import Found, resolve
from .plugin_factory import BuildContext, construct
from .watched_hooks import watch_loading

if TYPE_CHECKING:
    from .subprocess_plugin.plugin import SubprocessPlugin

LOAD_TIMEOUT_SECONDS = 10.0
NOT_PYTHON = (
    "[{0}.{1}] subprocess = true is not supported for {2}, so the plugin is not used: only installed plugins and "
    "Python files can run in a separate process. Starlark scripts, WASM modules and MCP servers are already isolated. "
    "Remove the setting."
)
Load = Callable[[str, str], Awaitable[object]]


@dataclass(slots=True)
class Plugins:
    """Entries by kind. ``provided`` are the caller's own objects; they take precedence over installed ones.

    ``sourced`` are those that sources list, by workspace; None is OpenKoi's own. ``load`` loads the plugins that others
    inject.
    """

    config: Config
    redactor: Redactor
    found: Iterable[Found] = ()
    provided: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    sourced: dict[Path | None, list[PluginEntry]] = field(default_factory=dict)
    keys: dict[str, Setting] = field(default_factory=dict)
    warn: Callable[[str], None] = field(default=lambda _: None)
    load: Load = field(default=lambda kind, name: load_nothing(kind, name))

    def plugins(self, kind: str, root: Path | None = None) -> list[PluginEntry]:
        """List the enabled plugins of a kind, by name."""
        taken: dict[str, PluginEntry] = {}
        for entry in self.candidates(kind, root):
            taken.setdefault(entry.name, entry)
        return sorted(filter(self.is_enabled, taken.values()), key=lambda entry: entry.name)

    @property
    def kinds(self) -> set[str]:
        """The available kinds of plugins."""
        sourced = (entry.kind for entries in self.sourced.values() for entry in entries)
        return {*self.provided, *(one.kind for one in self.found), *sourced}

    def candidates(self, kind: str, root: Path | None = None) -> Iterator[PluginEntry]:
        """Return all plugins of a kind; of several with one name, the first is used."""
        for name, thing in self.provided.get(kind, {}).items():
            yield PluginEntry(kind, name, "provided", partial(identity, thing))
        yield from (self.entry(one) for one in self.found if one.kind == kind)
        yield from (entry for entry in self.sourced.get(root, ()) if entry.kind == kind)

    def shadowed_warnings(self, root: Path | None = None) -> list[str]:
        """Warn about entries of sources whose name is taken: they never replace installed plugins."""
        warnings: list[str] = []
        for entry in self.sourced.get(root, ()):
            used = next(one for one in self.candidates(entry.kind, root) if one.name == entry.name)
            if used is not entry:
                rivals = f"{used.origin} and {entry.origin} both provide {entry.kind} {entry.name!r}"
                warnings.append(f"{rivals}; the one from {used.origin} is used.")
        return warnings

    def entry(self, found: Found) -> PluginEntry:
        return PluginEntry(found.kind, found.name, found.distribution, partial(self.build, found))

    def is_enabled(self, entry: PluginEntry) -> bool:
        return self.config[plugin_keys.ENABLED.at(entry.kind, entry.name)]

    async def build(self, found: Found, model: str = "") -> object:
        """Call a plugin's constructor; ``model`` takes precedence over its own table."""
        config = self.config
        if model:
            chosen = {f"{found.kind}.{found.name}.model": Setting(model, f"{found.name}/{model}")}
            config = replace(config, settings={**config.settings, **chosen})
        if config[plugin_keys.SUBPROCESS.at(found.kind, found.name)]:
            return self.build_in_subprocess(found, config)
        target = resolve(found.target)
        if model and "model" not in inspect.signature(cast(Callable[..., object], target)).parameters:
            raise ConfigError(f"The embedder {found.name!r} has only one model: set models.embedder to {found.name!r}.")
        return await construct(target, found.kind, found.name, self.context(config))

    def build_in_subprocess(self, found: Found, config: Config, text: str | None = None) -> "SubprocessPlugin":
        """Return a stand-in for a plugin in another process; ``text`` is the content of a Python file."""
        from .subprocess_plugin.plugin import make_subprocess_plugin

        return make_subprocess_plugin(found, self.context(config), text)

    def choose_process(self, entry: PluginEntry) -> PluginEntry:
        """Return a source's entry, to be loaded in the configured process; raise ConfigError if it cannot be."""
        if not self.config[plugin_keys.SUBPROCESS.at(entry.kind, entry.name)]:
            return entry
        if entry.load_in_subprocess is None:
            raise ConfigError(NOT_PYTHON.format(entry.kind, entry.name, entry.origin))

        def host(path: str, text: str) -> "SubprocessPlugin":
            return self.build_in_subprocess(Found(entry.kind, entry.name, path, entry.origin), self.config, text)

        return replace(entry, load=partial(entry.load_in_subprocess, host))

    def context(self, config: Config) -> BuildContext:
        """Return everything needed to build a plugin."""
        return BuildContext(config, self.redactor, self.load, self.keys, self.warn)

    def find(self, kind: str, name: str, root: Path | None = None) -> PluginEntry | None:
        """Return the entry with a name; ``name/model`` names one model of an embedder."""
        entries = {entry.name: entry for entry in self.plugins(kind, root)}
        vendor, _, model = name.partition("/")
        found = next((one for one in self.found if (one.kind, one.name) == (kind, vendor)), None)
        if kind != "embedders" or name in entries or not model or vendor not in entries or found is None:
            return entries.get(name)
        return PluginEntry(kind, name, found.distribution, partial(self.build, found, model))

    def is_sourced(self, entry: PluginEntry, root: Path | None) -> bool:
        """Return whether an entry is one that a source lists for a workspace."""
        return any(entry is one for one in self.sourced.get(root, ()))


async def identity(thing: object) -> object:
    return thing


async def load_nothing(kind: str, name: str) -> object:
    raise PluginNotFoundError(kind, name)


async def load_isolated(entry: PluginEntry, warn: Callable[[str], object]) -> object:
    """Load one plugin; errors of its import or constructor are raised with its name."""
    deadline = asyncio.timeout(LOAD_TIMEOUT_SECONDS)
    try:
        loading = entry.load()
        if not inspect.isawaitable(loading):
            raise TypeError("its `load` must be `async def`")
        async with deadline:
            return await watch_loading(entry, loading, warn)
    except (ConfigError, NoProviderError):
        raise
    except KoiError as error:
        raise PluginError(entry.name, "loading", str(error)) from error
    except BaseException as error:  # a plugin's import may raise anything, SystemExit included
        if must_end(error):
            raise
        late = f"it took longer than {LOAD_TIMEOUT_SECONDS:g} s" if deadline.expired() else ""
        raise PluginError(entry.name, "loading", late or format_error(error)) from error
