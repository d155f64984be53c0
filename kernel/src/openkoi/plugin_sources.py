"""Plugins that find plugins: what they list is taken in before anything is loaded."""

from typing import Any, cast

from openkoi_hookspecs import PluginEntry, PluginError, PluginSource
from openkoi_isolation import must_end

from .plugins import Plugins


def ask_sources(registry: Plugins, koi: Any) -> list[str]:
    """Take in what all sources list; return what went wrong, a sentence each."""
    sources, faults = registry.load_all("sources")
    complaints = [str(fault) for fault in faults]
    for name, source in sources.items():
        try:
            registry.sourced += entries_of(cast(PluginSource, source), koi)
        except BaseException as error:  # a source is a plugin: what it would have found is missing, and that is said
            if must_end(error):
                raise
            complaints.append(str(PluginError(name, "discover", f"{type(error).__name__}: {error}")))
    return complaints


def entries_of(source: PluginSource, koi: Any) -> list[PluginEntry]:
    """What a source lists, if all of it are entries."""
    entries = list(source.discover(koi))
    if strange := [entry for entry in entries if not isinstance(entry, PluginEntry)]:
        raise TypeError(f"it lists a {type(strange[0]).__name__}")
    return entries
