"""Build OpenKoi from what is installed and configured."""

import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from openkoi_models import FILE, Catalogue
from openkoi_redact import CURRENT
from openkoi_settings import Config, find_paths, keys, load_config, with_settings

from .app import App
from .pending_warnings import PendingWarnings
from .plugins import Plugins
from .redaction import make_redactor
from .registry import Scan, scan, with_preferences
from .services import Services

Provided = Mapping[str, Mapping[str, object]]


def build_app(config: Config, found: Scan, provided: Provided | None = None, bundles: Sequence[Path] = ()) -> App:
    """Build what the configuration asks for, loading nothing yet. ``provided`` are plugins of the caller's own."""
    redactor = make_redactor(config)
    CURRENT.set(redactor)
    plugins = Plugins(config, redactor, found.found, provided or {})
    catalogue = Catalogue([bundle / FILE for bundle in bundles])
    warnings = PendingWarnings([*found.broken, *map(str, found.clashes)])
    return App(Services(config, plugins, redactor, warnings=warnings, catalogue=catalogue))


def open_app(
    workspace: Path,
    *,
    flags: Mapping[str, object] | None = None,
    config: str = "",
    environment: Mapping[str, str] = os.environ,
    found: Scan | None = None,
    settings: Mapping[str, object] | None = None,
) -> App:
    """OpenKoi as it is installed and configured here. ``found`` is what is installed, if that is known already.

    ``flags`` are named as on the command line, ``settings`` as in the configuration, by dotted key; both outrank it.
    """
    found = scan() if found is None else found
    paths = find_paths(environment, config)
    bundles = bundle_folders(found)

    def load(folder: Path) -> Config:
        there = load_config(paths, folder, bundles=bundles, flags=flags, environment=environment)
        return with_settings(there, settings or {})

    whole = load(workspace)
    app = build_app(whole, as_preferred(found, whole), bundles=bundles)
    app.services.load_config = load
    return app


def as_preferred(found: Scan, config: Config) -> Scan:
    """The same with the winners that the configuration prefers, if it prefers any."""
    preferred = config.table(keys.PREFER.table).items()
    named = ((key.partition("."), str(one.value)) for key, one in preferred)
    return (
        with_preferences(found, frozenset((kind, name, winner) for (kind, _, name), winner in named))
        if preferred
        else found
    )


def bundle_folders(found: Scan) -> list[Path]:
    """Where the bundles' files lie, in the order of their names; the default one is the weakest."""
    bundles = sorted(
        (one for one in found.found if one.kind == "bundles"), key=lambda one: (one.name != "default", one)
    )
    return [folder for one in bundles if (folder := package_folder(one.target))]


def package_folder(package: str) -> Path | None:
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return None
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None
