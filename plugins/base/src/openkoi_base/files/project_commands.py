"""Run a project's own programs in one of its folders, with the contents of the user's caches.

The sandbox gives cargo and go empty folders of their own. Nothing is downloaded: cargo reads the user's folder if its
own lacks something, go copies from it.
"""

import os
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path

WINDOWS = os.name == "nt"
IN_FOLDER = 'cd "$0" && exec "$@"'
ELSEWHERE = 'CARGO_TARGET_DIR="${TMPDIR:-/tmp}/openkoi-cargo-$0" exec "$@"'


def shell_command(script: str) -> tuple[str, ...]:
    """Return a command line for the platform's shell."""
    return ("cmd", "/c", script) if WINDOWS else ("sh", "-c", script)


def command_in(folder: str, argv: tuple[str, ...]) -> tuple[str, ...]:
    """Return a command line that is started in a folder of the workspace."""
    if not folder:
        return argv
    return ("cmd", "/c", "cd", "/d", folder, "&&", *argv) if WINDOWS else ("sh", "-c", IN_FOLDER, folder, *argv)


def cargo_command(argv: tuple[str, ...], home: Path) -> tuple[str, ...]:
    """Return a command line of cargo that builds in a temporary folder, unless the project has its target folder."""
    if WINDOWS or (home / "target").is_dir():
        return argv
    return ("sh", "-c", ELSEWHERE, sha256(str(home.resolve()).encode()).hexdigest()[:16], *argv)


def cargo_environment(ours: Mapping[str, str]) -> dict[str, str]:
    """Return variables that make cargo read the user's folder; none if it does not exist."""
    place = Path(ours.get("CARGO_HOME") or Path.home() / ".cargo")
    return {"CARGO_HOME": str(place)} if any((place / name).is_dir() for name in ("registry", "git")) else {}


def go_environment(ours: Mapping[str, str]) -> dict[str, str]:
    """Return variables that make go read modules from the user's folder only."""
    paths = (ours.get("GOPATH") or str(Path.home() / "go")).split(os.pathsep)
    kept = Path(ours.get("GOMODCACHE") or Path(paths[0]) / "pkg" / "mod") / "cache" / "download"
    proxies = [kept.absolute().as_uri()] if kept.is_dir() else []
    return {"GOPROXY": ",".join([*proxies, "off"]), "GOSUMDB": "off", "GOTOOLCHAIN": "local"}


def name_folder(home: Path, root: Path) -> str:
    """Return a folder's path in the workspace, empty for the workspace itself."""
    return "" if home == root else home.relative_to(root).as_posix()


def outermost_folders(homes: Iterable[Path]) -> list[Path]:
    """Return each folder once, without those inside another."""
    every = list(dict.fromkeys(homes))
    return [home for home in every if not any(home != other and home.is_relative_to(other) for other in every)]
