"""Find the linters of languages other than Python."""

import json
import os
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from openkoi_base.files.project_files import find_project_files, read_source

from .clippy import read_clippy
from .eslint import read_eslint
from .govet import read_vet
from .linter import FILE, FileOptions, Linter
from .project_files import LINT_SKIPPED
from .shellcheck import read_shellcheck
from .tsc import read_tsc

ESLINT = tuple(f"eslint.config.{end}" for end in ("js", "mjs", "cjs", "ts", "mts", "cts"))
OLD_ESLINT = tuple(f".eslintrc{end}" for end in ("", ".js", ".cjs", ".json", ".yml", ".yaml"))
BUILD_INFO = ("--incremental", "--tsBuildInfoFile", os.devnull)
CLIPPY = ("cargo", "clippy", "--offline", "--quiet", "--message-format", "json", "--all-targets", "--workspace")
ELSEWHERE = 'CARGO_TARGET_DIR="${TMPDIR:-/tmp}/openkoi-cargo-$0" exec "$@"'
SHELLCHECK = ("shellcheck", "-f", "json")
SHELLS = frozenset({".sh", ".bash"})
SCRIPTS = frozenset({".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"})
MAX_SCRIPTS = 300
MANIFESTS = {*ESLINT, *OLD_ESLINT, "package.json", "tsconfig.json", "Cargo.toml", "go.mod"}


def find_linters(root: Path) -> Iterator[Linter]:
    """Yield a linter for each outermost folder with its manifest or settings."""
    files = list(find_project_files(root, lambda name: name in MANIFESTS or name.endswith(tuple(SHELLS)), LINT_SKIPPED))
    for home in drop_nested_folders(path.parent for path in files if is_eslint(path)):
        yield eslint_linter(home, root)
    for home in drop_nested_folders(path.parent for path in files if path.name == "tsconfig.json"):
        argv = node_command(home, root, "tsc", "--noEmit", "--pretty", "false", "-p", ".", *BUILD_INFO)
        yield Linter("tsc", argv, read_tsc, wide=True, folder=name_of(home, root))
    if shutil.which("cargo-clippy"):
        yield from (
            clippy_linter(home, root) for home in drop_nested_folders(p.parent for p in files if p.name == "Cargo.toml")
        )
    if shutil.which("go"):
        yield from (vet_linter(path.parent, root) for path in files if path.name == "go.mod")
    scripts = [path.relative_to(root).as_posix() for path in files if path.suffix in SHELLS][:MAX_SCRIPTS]
    if scripts and shutil.which("shellcheck"):
        options = FileOptions(SHELLS, "probe.sh", ("-",))
        yield Linter("shellcheck", SHELLCHECK, read_shellcheck, targets=("--", *scripts), files=options)


def is_eslint(path: Path) -> bool:
    """Return whether the file configures eslint."""
    if path.name == "package.json":
        try:
            return "eslintConfig" in json.loads(read_source(path) or "{}")
        except (ValueError, TypeError):
            return False
    return path.name in ESLINT or path.name in OLD_ESLINT


def drop_nested_folders(homes: Iterator[Path]) -> list[Path]:
    """Return each folder once, without those inside another."""
    every = list(dict.fromkeys(homes))
    return [home for home in every if not any(home != other and home.is_relative_to(other) for other in every)]


def name_of(home: Path, root: Path) -> str:
    """Return the folder below the workspace, or an empty string for the workspace itself."""
    return "" if home == root else home.relative_to(root).as_posix()


def node_command(home: Path, root: Path, name: str, *options: str) -> tuple[str, ...]:
    """Return a package's command from the nearest folder where it is installed."""
    above = (home, *(parent for parent in home.parents if parent.is_relative_to(root)))
    found = (shutil.which(name, path=str(place / "node_modules" / ".bin")) for place in above)
    program = next(filter(None, found), None)
    return (program, *options) if program else ()


def eslint_linter(home: Path, root: Path) -> Linter:
    """Return eslint. Old configurations do not say which files they are for, so it must choose them itself."""
    named = ("--",) if any((home / name).is_file() for name in ESLINT) else None
    options = FileOptions(SCRIPTS, "probe.js", ("--stdin", "--stdin-filename", FILE), named)
    command = node_command(home, root, "eslint", "-f", "json")
    return Linter("eslint", command, read_eslint, targets=(".",), files=options, folder=name_of(home, root))


def clippy_linter(home: Path, root: Path) -> Linter:
    """Return clippy, building outside the workspace unless the project has a target folder."""
    argv: tuple[str, ...] = CLIPPY
    if not (os.name == "nt" or (home / "target").is_dir()):
        argv = ("sh", "-c", ELSEWHERE, sha256(str(home.resolve()).encode()).hexdigest()[:16], *argv)
    at_home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    else_env = {"CARGO_HOME": str(at_home)} if at_home.is_dir() else {}
    return Linter("clippy", argv, read_clippy, wide=True, folder=name_of(home, root), else_env=else_env)


def vet_linter(home: Path, root: Path) -> Linter:
    """Return go vet, restricted to modules in the local cache."""
    kept = Path(os.environ.get("GOMODCACHE") or Path.home() / "go" / "pkg" / "mod") / "cache" / "download"
    proxy = f"{kept.absolute().as_uri()},off" if kept.is_dir() else "off"
    env = {"GOPROXY": proxy, "GOSUMDB": "off", "GOTOOLCHAIN": "local"}
    return Linter("go vet", ("go", "vet", "-json", "./..."), read_vet, wide=True, folder=name_of(home, root), env=env)
