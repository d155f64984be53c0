"""List the installed plugins, which of them are used, and which cannot be imported."""

from pathlib import Path

from openkoi_base.files import find_workspace
from openkoi_hookspecs import ConfigError, Installation, Paths, PluginNotFoundError, PluginState
from openkoi_settings import Config, load_config, plugin_keys

from .bundles import as_preferred, bundle_folders
from .fingerprint import fingerprint
from .plugin_discovery import Scan, resolve


def list_installed(found: Scan, paths: Paths) -> Installation:
    """Return the state of every installed plugin, by kind and name, and the problems of the installation."""
    config = read_config(found, paths)
    scanned = as_preferred(found, config) if config else found
    winners = {(one.kind, one.name): one.distribution for one in scanned.found}
    versions = {one.distribution: one.read_version() for one in scanned.claims}
    states = [
        PluginState(
            one.kind,
            one.name,
            one.distribution,
            one in scanned.found,
            winners.get((one.kind, one.name), ""),
            versions[one.distribution],
            config is None or config[plugin_keys.ENABLED.at(one.kind, one.name)],
            config is not None and runs_in_own_process(config, one.kind, one.name),
        )
        for one in sorted(scanned.claims)
    ]
    return Installation(tuple(states), (*scanned.broken, *map(str, scanned.clashes)), fingerprint(scanned))


def runs_in_own_process(config: Config, kind: str, name: str) -> bool:
    """Return whether a plugin is configured to run in a separate process, and can do so."""
    if not config[plugin_keys.SUBPROCESS.at(kind, name)]:
        return False
    from .subprocess_plugin.members import explain_refusal

    return not explain_refusal(kind, name)


def read_config(found: Scan, paths: Paths) -> Config | None:
    """Return the configuration of this folder; None if it cannot be read."""
    try:
        return load_config(paths, find_workspace(Path.cwd()), bundles=bundle_folders(found))
    except ConfigError:
        return None


def explain_broken(found: Scan, plugin: PluginState) -> str:
    """Import a plugin; return why that fails, or why its hooks cannot be called."""
    from openkoi_base.isolation import format_error, must_end

    from .hook_implementations import find_implementations

    place = (plugin.kind, plugin.name, plugin.distribution)
    targets = [one.target for one in found.claims if (one.kind, one.name, one.distribution) == place]
    if not targets:
        raise PluginNotFoundError(plugin.kind, plugin.name)
    try:
        thing = resolve(targets[0])
        if plugin.kind == "hooks" and not isinstance(thing, type):
            _, errors = find_implementations({plugin.name: thing})
            if errors:
                raise errors[0]
    except BaseException as error:  # a plugin's import may raise anything
        if must_end(error):
            raise
        return format_error(error)
    return ""
