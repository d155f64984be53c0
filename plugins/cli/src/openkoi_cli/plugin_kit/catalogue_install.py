"""Search catalogues, and install plugins from them once their hashes are checked."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import click

from openkoi_base.printable import one_line
from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from ..invocation import Invocation
from ..releases import normalize_name
from ..setting_names import CATALOGUES
from .catalogue_wasm import ARCHIVE, install_wasm
from .installer import ARCHIVES, distribution_name, install_plugins
from .new_script import SCRIPTS
from .plugin_catalogue import CatalogueEntry, download, find_entry, read_catalogues, search_entries

NOTHING = "No plugin in the catalogues matches {words}."
UNKNOWN_FILE = "{name} cannot be installed: {file} is not a wheel, source archive, script or WASM plugin."
DIFFERS = "{target} already exists and differs. To replace it, run `openkoi plugin update {name}`."
WRONG_NAME = "{name!r} cannot be installed: a name may contain only letters, digits, dots, dashes and underscores."
OTHER_KIND = "{name} was not installed: the catalogue lists it as {kind!r}, but its file {file} is of a different kind."
OTHER_PACKAGE = "{name} was not installed: the catalogue's file {file} contains the package {found}."
SCRIPT, REPLACED = ".star", ".old"
SUFFIXES = {"script": SCRIPT, "wasm": ARCHIVE}
NAME = lazy_pattern(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def format_search(words: Sequence[str], invocation: Invocation) -> Iterator[str]:
    """Yield a line for each plugin that matches; raise KoiError if none does."""
    found = search_entries(words, read_catalogues(invocation.open()))
    if not found:
        raise KoiError(NOTHING.format(words=" ".join(words)))
    rows = [[one_line(text) for text in (one.name, one.kind, one.trust, one.summary, one.catalogue)] for one in found]
    wide, kind, trust = (max(len(row[column]) for row in rows) for column in range(3))
    for row in rows:
        yield f"{row[0]:<{wide}}  {row[1]:<{kind}}  {row[2]:<{trust}}  {row[3]}  ({row[4]})".rstrip()


def install_named(names: Sequence[str], invocation: Invocation, *, upgrade: bool = False) -> None:
    """Install plugins: those that a catalogue lists from there, all others from the package index or a path."""
    koi = invocation.open()
    entries = read_catalogues(koi) if koi.setting(CATALOGUES, tuple, ()) else []
    listed = {name: entry for name in names if (entry := find_entry(name, entries))}
    with TemporaryDirectory(prefix="openkoi-install-") as folder:
        files = {name: download(entry, Path(mkdtemp(dir=folder))) for name, entry in listed.items()}
        for name, file in files.items():
            refuse_unknown(file, listed[name])
        for entry in listed.values():
            words = f"{entry.name} ({entry.kind}) from the catalogue {entry.catalogue}, {entry.trust}: hash verified."
            click.echo(one_line(words))
        copied = {name: file for name, file in files.items() if not file.name.endswith(ARCHIVES)}
        if rest := [str(files.get(name, name)) for name in names if name not in copied]:
            install_plugins(rest, upgrade=upgrade)
        for name, file in copied.items():
            if file.name.endswith(ARCHIVE):
                install_wasm(file, listed[name], invocation, replace=upgrade)
            else:
                click.echo(install_script(file, listed[name], invocation.paths.data / SCRIPTS, replace=upgrade))


def refuse_unknown(file: Path, entry: CatalogueEntry) -> None:
    """Raise KoiError if a file cannot be installed, or does not have the listed kind or name."""
    if not NAME.fullmatch(entry.name):
        raise KoiError(WRONG_NAME.format(name=entry.name))
    if not file.name.endswith((*ARCHIVES, SCRIPT, ARCHIVE)):
        raise KoiError(UNKNOWN_FILE.format(name=entry.name, file=file.name))
    if not file.name.endswith(SUFFIXES.get(entry.kind.strip().lower(), "")):
        raise KoiError(OTHER_KIND.format(name=entry.name, kind=one_line(entry.kind), file=file.name))
    if file.name.endswith(ARCHIVES) and (found := distribution_name(file.name)) != normalize_name(entry.name):
        raise KoiError(OTHER_PACKAGE.format(name=entry.name, file=file.name, found=found))


def install_script(file: Path, entry: CatalogueEntry, folder: Path, *, replace: bool) -> str:
    """Copy a script into the user's folder; return what was done. Keep a replaced script next to it."""
    target = folder / f"{entry.name}{SCRIPT}"
    folder.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        shutil.copyfile(file, target)
        return f"Installed {entry.name} to {target}. To see what it does, run `openkoi doctor --hooks`."
    if target.read_bytes() == file.read_bytes():
        return f"{entry.name} is already up to date: {target}."
    if not replace:
        raise KoiError(DIFFERS.format(name=entry.name, target=target))
    old = target.with_name(f"{target.name}{REPLACED}")
    target.replace(old)
    shutil.copyfile(file, target)
    return f"Updated {entry.name} in {target}. The previous file is now {old}."
