"""Locate bundles, and choose the plugin that is used if two have the same name."""

import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

from openkoi_settings import Config, plugin_keys

from .plugin_discovery import Scan, with_preferences


def as_preferred(found: Scan, config: Config) -> Scan:
    """Return the scan with the preferred plugins of the configuration, if any."""
    prefix = f"{plugin_keys.PREFER.table}."
    own = {name for name in config.changed_settings if name.startswith(prefix)}
    named = {name: str(one.value) for name, one in config.settings.items() if name.startswith(prefix)}
    chosen = {name: (*name.removeprefix(prefix).partition(".")[::2], winner) for name, winner in named.items()}
    prefer = frozenset(choice for name, choice in chosen.items() if name in own)
    return with_preferences(found, prefer, frozenset(chosen.values()) - prefer)


def bundle_folders(found: Scan) -> dict[Path, str]:
    """Return the bundles' folders and names, sorted by name; the default bundle is first."""
    bundles = sorted(
        (one for one in found.found if one.kind == "bundles"), key=lambda one: (one.name != "default", one)
    )
    return {folder: one.name for one in bundles if (folder := package_folder(one.target))}


def find_spec(package: str) -> ModuleSpec | None:
    """Find a package without importing it, and usually without ``importlib.util``, which takes a millisecond."""
    if "." in package:
        from importlib.util import find_spec

        return find_spec(package)
    return next(filter(None, (finder.find_spec(package, None) for finder in sys.meta_path)), None)


def package_folder(package: str) -> Path | None:
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return None
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None
