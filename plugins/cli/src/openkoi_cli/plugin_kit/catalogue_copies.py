"""Remove and update plugins, including those copied from a catalogue: scripts, and WASM plugins."""

from collections.abc import Sequence
from pathlib import Path

import click

from openkoi_hookspecs import KoiError

from ..invocation import Invocation
from .catalogue_install import SCRIPT, install_named
from .catalogue_wasm import MANIFEST, run_wasm
from .installer import NOT_INSTALLED, NotInstalledError, distribution_name, is_installed, remove_plugins
from .new_script import SCRIPTS
from .plugin_catalogue import find_entry, read_catalogues

WASM_PLUGINS = Path("plugins", "wasm")  # in the data folder
UNLISTED = "{name} was not updated: your catalogues do not list it. It is installed at {place}."


def remove_named(names: Sequence[str], invocation: Invocation) -> None:
    """Uninstall distributions, and delete copies."""
    copies = find_copies(names, invocation, "removed")
    if packages := [name for name in names if name not in copies]:
        remove_plugins(packages)
    for name, file in copies.items():
        if file.name == MANIFEST:
            run_wasm(invocation, "remove", name)
        else:
            file.unlink()
            click.echo(f"Removed {file}.")


def update_named(names: Sequence[str], invocation: Invocation) -> None:
    """Update installed plugins only: any other name in the package index may belong to a stranger."""
    if copies := find_copies(names, invocation, "updated"):
        listed = read_catalogues(invocation.open())
        for name, place in copies.items():
            if find_entry(name, listed) is None:
                raise KoiError(UNLISTED.format(name=name, place=place))
    install_named(names, invocation, upgrade=True)


def find_copies(names: Sequence[str], invocation: Invocation, done: str) -> dict[str, Path]:
    """Return the files of the plugins that were copied; raise KoiError for names that are not installed."""
    packages = [name for name in names if is_installed(distribution_name(name))]
    found = {name: copy_of(name, invocation.paths.data) for name in names if name not in packages}
    if missing := [name for name, file in found.items() if file is None]:
        raise NotInstalledError(NOT_INSTALLED.format(names=", ".join(missing), done=done))
    return {name: file for name, file in found.items() if file}


def copy_of(name: str, data: Path) -> Path | None:
    """Return the file of a script or the manifest of a WASM plugin that was copied into the data folder."""
    places = [data / SCRIPTS / f"{name}{SCRIPT}", data / WASM_PLUGINS / name / MANIFEST]
    return next((file for file in places if Path(name).name == name and file.is_file()), None)
