"""Install a WASM plugin from a catalogue: a .zip archive with plugin.toml and its module, and nothing else."""

import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile

from openkoi_base.terminal import can_prompt
from openkoi_hookspecs import KoiError

from ..invocation import Invocation
from .plugin_catalogue import CatalogueEntry

ARCHIVE, MANIFEST, MODULE = ".zip", "plugin.toml", ".wasm"
MAX_FILE = 3_000_000  # bytes unpacked; `openkoi wasm add` has limits of its own
MISSING = "{name} is a WASM plugin, which needs openkoi-wasm. Run `openkoi plugin install openkoi-wasm`."
WRONG_FILES = "{name} cannot be installed: {file} must contain only plugin.toml and one .wasm file."
OTHER_NAME = "{name} was not installed: the plugin in {file} is named {other}."
NOT_ADDED = "{name} was not installed. See the output of `openkoi wasm add` above."


def install_wasm(file: Path, entry: CatalogueEntry, invocation: Invocation, *, replace: bool) -> None:
    """Add a plugin to the data folder, and ask for approval if a terminal is attached."""
    if find_spec("openkoi_wasm") is None:
        raise KoiError(MISSING.format(name=entry.name))
    folder = unpack(file, entry.name)
    if run_wasm(invocation, "add", *(["--replace"] if replace else []), str(folder)):
        raise KoiError(NOT_ADDED.format(name=entry.name))
    if can_prompt(sys.stdout):
        run_wasm(invocation, "approve", entry.name)


def unpack(file: Path, name: str) -> Path:
    """Unpack an archive into a folder of the plugin's name; raise KoiError for any other content."""
    try:
        content = read_archive(file)
        found = tomllib.loads(content[MANIFEST].decode()).get("plugin", {})
    except (BadZipFile, OSError, ValueError, KeyError, RuntimeError):  # what zipfile may raise
        raise KoiError(WRONG_FILES.format(name=name, file=file.name)) from None
    if not isinstance(found, dict) or found.get("name") != name:
        other = found.get("name") if isinstance(found, dict) else None
        raise KoiError(OTHER_NAME.format(name=name, file=file.name, other=repr(other)))
    folder = file.with_suffix("") / "plugin"
    folder.mkdir(parents=True)
    for member, data in content.items():
        (folder / member).write_bytes(data)
    return folder


def read_archive(file: Path) -> dict[str, bytes]:
    """Return the two files of an archive by name; raise ValueError if it contains any other file."""
    with ZipFile(file) as archive:
        members = archive.infolist()
        names = sorted(one.filename for one in members)
        flat = all(PurePosixPath(name).name == name and "\\" not in name for name in names)
        suffixes = sorted(PurePosixPath(name).suffix for name in names)
        if not flat or MANIFEST not in names or suffixes != [".toml", MODULE]:
            raise ValueError(names)
        return {one.filename: read_member(archive, one.filename) for one in members}


def read_member(archive: ZipFile, name: str) -> bytes:
    """Return a file of an archive; raise ValueError if it is too large when unpacked."""
    with archive.open(name) as stream:
        content = stream.read(MAX_FILE + 1)
    if len(content) > MAX_FILE:
        raise ValueError(name)
    return content


def run_wasm(invocation: Invocation, *arguments: str) -> int:
    """Run ``openkoi wasm``; return its exit status."""
    config = ["--config", str(invocation.config)] if invocation.config else []
    return subprocess.run([sys.executable, "-P", "-m", "openkoi", *config, "wasm", *arguments], check=False).returncode
