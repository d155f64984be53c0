"""Build OpenKoi from what is installed and configured."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from openkoi_base.redact import CURRENT, Redactor
from openkoi_loader.bundles import as_preferred, bundle_folders
from openkoi_loader.plugin_discovery import Scan, scan
from openkoi_loader.plugins import Plugins
from openkoi_models import FILE, Catalogue
from openkoi_runlog.pending_warnings import PendingWarnings
from openkoi_settings import Config, find_paths, keys, load_config, with_settings
from openkoi_settings.known_secrets import known_secrets

from .app import App
from .services import Services

Provided = Mapping[str, Mapping[str, object]]


def build_app(config: Config, found: Scan, provided: Provided | None = None, bundles: Iterable[Path] = ()) -> App:
    """Build what the configuration asks for, loading nothing yet. ``provided`` are the caller's own plugins."""
    redactor = Redactor(known_secrets(config), config[keys.ALLOWED_SECRETS])
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
    """Return OpenKoi as it is installed and configured here. ``found`` is the installation, if it is already known.

    ``flags`` are named as on the command line, ``settings`` as in the configuration, by dotted key; both override the
    configuration.
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
