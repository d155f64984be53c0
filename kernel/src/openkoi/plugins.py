"""The plugins there are, each loaded when it is first wanted. Knows entries and constructors; knows no run.

Installed is not loaded. One that cannot be loaded costs one named fault, never the program.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

from openkoi_hookspecs import ConfigError, KoiError, NoProviderError, PluginEntry, PluginError, PluginNotFoundError
from openkoi_isolation import must_end, report_lateness
from openkoi_redact import Redactor
from openkoi_settings import Config, Setting, keys

from .plugin_factory import BuildContext, construct
from .registry import Found, resolve

LOAD_LIMIT = 5.0  # seconds


@dataclass(slots=True)
class Plugins:
    """Entries by kind. ``provided`` are objects of the caller's own; they outrank what is installed."""

    config: Config
    redactor: Redactor
    found: Iterable[Found] = ()
    provided: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    sourced: list[PluginEntry] = field(default_factory=list)
    loaded: dict[tuple[str, str], object] = field(default_factory=dict)
    keys: dict[str, Setting] = field(default_factory=dict)
    warn: Callable[[str], None] = field(default=lambda _: None)

    def plugins(self, kind: str) -> list[PluginEntry]:
        """What there is of a kind and not switched off, by name."""
        taken: dict[str, PluginEntry] = {}
        for entry in self.candidates(kind):
            taken.setdefault(entry.name, entry)
        return sorted(filter(self.enabled, taken.values()), key=lambda entry: entry.name)

    def candidates(self, kind: str) -> Iterator[PluginEntry]:
        """All that there is of a kind; of those with one name the first is used."""
        for name, thing in self.provided.get(kind, {}).items():
            yield PluginEntry(kind, name, "provided", partial(identity, thing))
        yield from (self.entry(one) for one in self.found if one.kind == kind)
        yield from (entry for entry in self.sourced if entry.kind == kind)

    @property
    def shadowed_warnings(self) -> list[str]:
        """What is said of the entries of sources whose name is taken: what is installed is never replaced by them."""
        said: list[str] = []
        for entry in self.sourced:
            used = next(one for one in self.candidates(entry.kind) if one.name == entry.name)
            if used is not entry:
                rivals = f"{used.origin} and {entry.origin} both bring {entry.kind} {entry.name!r}"
                said.append(f"{rivals}; that of {used.origin} is used.")
        return said

    def entry(self, found: Found) -> PluginEntry:
        return PluginEntry(found.kind, found.name, found.distribution, partial(self.build, found))

    def enabled(self, entry: PluginEntry) -> bool:
        return self.config[keys.ENABLED.at(entry.kind, entry.name)]

    def build(self, found: Found, model: str = "") -> object:
        """Call a plugin's constructor; ``model`` outranks what its own table says."""
        target, config = resolve(found.target), self.config
        if model:
            if "model" not in inspect.signature(cast(Callable[..., object], target)).parameters:
                raise ConfigError(f"The embedder {found.name!r} has only one model: write {found.name!r}.")
            chosen = {f"{found.kind}.{found.name}.model": Setting(model, f"{found.name}/{model}")}
            config = replace(config, settings={**config.settings, **chosen})
        return construct(
            target, found.kind, found.name, BuildContext(config, self.redactor, self.load, self.keys, self.warn)
        )

    def find(self, kind: str, name: str) -> PluginEntry | None:
        """The entry of a name; of an embedder that has several models, ``name/model`` is one of them."""
        entries = {entry.name: entry for entry in self.plugins(kind)}
        vendor, _, model = name.partition("/")
        found = next((one for one in self.found if (one.kind, one.name) == (kind, vendor)), None)
        if kind != "embedders" or name in entries or not model or vendor not in entries or found is None:
            return entries.get(name)
        return PluginEntry(kind, name, found.distribution, partial(self.build, found, model))

    def load(self, kind: str, name: str) -> object:
        """One plugin by name, once; raises PluginNotFoundError, ConfigError or PluginError."""
        if (kind, name) not in self.loaded:
            entry = self.find(kind, name)
            if entry is None:
                raise PluginNotFoundError(kind, name, tuple(entry.name for entry in self.plugins(kind)))
            with report_lateness(LOAD_LIMIT, lambda text: self.warn(str(PluginError(name, "loading", text)))):
                self.loaded[kind, name] = load_isolated(entry)
        return self.loaded[kind, name]

    def load_all(self, kind: str) -> tuple[dict[str, object], list[KoiError]]:
        """All of a kind, and the faults of those that could not be loaded."""
        things: dict[str, object] = {}
        faults: list[KoiError] = []
        for entry in self.plugins(kind):
            try:
                things[entry.name] = self.load(kind, entry.name)
            except KoiError as fault:
                faults.append(fault)
        return things, faults


def identity(thing: object) -> object:
    return thing


def load_isolated(entry: PluginEntry) -> object:
    """Load one plugin; whatever its import or constructor does becomes a fault with its name."""
    try:
        return entry.load()
    except (ConfigError, NoProviderError):
        raise
    except KoiError as error:
        raise PluginError(entry.name, "loading", str(error)) from error
    except BaseException as error:  # a plugin's import may raise anything, SystemExit included
        if must_end(error):
            raise
        raise PluginError(entry.name, "loading", f"{type(error).__name__}: {error}") from error


def check_socket(thing: object, kind: str, name: str, methods: tuple[str, ...]) -> Any:
    """The plugin, if it has the methods of its socket."""
    missing = [method for method in methods if not callable(getattr(thing, method, None))]
    if missing:
        raise PluginError(name, "loading", f"it has no {' and no '.join(missing)}(), which {kind} need")
    return thing
