"""Find the linters of languages other than Python."""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from openkoi_base.files.project_commands import (
    cargo_command,
    cargo_environment,
    go_environment,
    name_folder,
    outermost_folders,
)
from openkoi_base.files.project_files import find_project_files, read_source

from .linter import FILE, FileOptions, Linter
from .project_files import LINT_SKIPPED

ESLINT = tuple(f"eslint.config.{end}" for end in ("js", "mjs", "cjs", "ts", "mts", "cts"))
OLD_ESLINT = tuple(f".eslintrc{end}" for end in ("", ".js", ".cjs", ".json", ".yml", ".yaml"))
BUILD_INFO = ("--incremental", "--tsBuildInfoFile", os.devnull)
CLIPPY = ("cargo", "clippy", "--offline", "--quiet", "--message-format", "json", "--all-targets", "--workspace")
SHELLCHECK = ("shellcheck", "-f", "json")
SHELLS = frozenset({".sh", ".bash"})
SCRIPTS = frozenset({".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"})
MAX_SCRIPTS = 300
MANIFESTS = {*ESLINT, *OLD_ESLINT, "package.json", "tsconfig.json", "Cargo.toml", "go.mod"}


def find_linters(root: Path) -> Iterator[Linter]:
    """Yield a linter for each outermost folder with its manifest or settings."""
    files = list(find_project_files(root, lambda name: name in MANIFESTS or name.endswith(tuple(SHELLS)), LINT_SKIPPED))
    for home in outermost_folders(path.parent for path in files if is_eslint(path)):
        yield eslint_linter(home, root)
    for home in outermost_folders(path.parent for path in files if path.name == "tsconfig.json"):
        yield tsc_linter(home, root)
    if shutil.which("cargo-clippy"):
        yield from (
            clippy_linter(home, root) for home in outermost_folders(p.parent for p in files if p.name == "Cargo.toml")
        )
    if shutil.which("go"):
        yield from (vet_linter(path.parent, root) for path in files if path.name == "go.mod")
    scripts = [path.relative_to(root).as_posix() for path in files if path.suffix in SHELLS][:MAX_SCRIPTS]
    if scripts and shutil.which("shellcheck"):
        yield shellcheck_linter(scripts)


def is_eslint(path: Path) -> bool:
    """Return whether the file configures eslint."""
    if path.name == "package.json":
        try:
            return "eslintConfig" in json.loads(read_source(path) or "{}")
        except (ValueError, TypeError):
            return False
    return path.name in ESLINT or path.name in OLD_ESLINT


def node_command(home: Path, root: Path, name: str, *options: str) -> tuple[str, ...]:
    """Return a package's command from the nearest folder where it is installed."""
    above = (home, *(parent for parent in home.parents if parent.is_relative_to(root)))
    found = (shutil.which(name, path=str(place / "node_modules" / ".bin")) for place in above)
    program = next(filter(None, found), None)
    return (program, *options) if program else ()


def eslint_linter(home: Path, root: Path) -> Linter:
    """Return eslint. Old configurations do not name the files that they apply to, so eslint must choose them itself."""
    from .eslint import read_eslint

    named = ("--",) if any((home / name).is_file() for name in ESLINT) else None
    options = FileOptions(SCRIPTS, "probe.js", ("--stdin", "--stdin-filename", FILE), named)
    command = node_command(home, root, "eslint", "-f", "json")
    return Linter("eslint", command, read_eslint, targets=(".",), files=options, folder=name_folder(home, root))


def tsc_linter(home: Path, root: Path) -> Linter:
    """Return tsc, which checks the whole project."""
    from .tsc import read_tsc

    argv = node_command(home, root, "tsc", "--noEmit", "--pretty", "false", "-p", ".", *BUILD_INFO)
    return Linter("tsc", argv, read_tsc, wide=True, folder=name_folder(home, root))


def shellcheck_linter(scripts: Sequence[str]) -> Linter:
    """Return shellcheck for some scripts."""
    from .shellcheck import read_shellcheck

    options = FileOptions(SHELLS, "probe.sh", ("-",))
    return Linter("shellcheck", SHELLCHECK, read_shellcheck, targets=("--", *scripts), files=options)


def clippy_linter(home: Path, root: Path) -> Linter:
    """Return clippy, building outside the workspace unless the project has a target folder."""
    from .clippy import read_clippy

    argv, else_env = cargo_command(CLIPPY, home), cargo_environment(os.environ)
    return Linter("clippy", argv, read_clippy, wide=True, folder=name_folder(home, root), else_env=else_env)


def vet_linter(home: Path, root: Path) -> Linter:
    """Return go vet, restricted to modules in the local cache."""
    from .govet import read_vet

    argv, env = ("go", "vet", "-json", "./..."), go_environment(os.environ)
    return Linter("go vet", argv, read_vet, wide=True, folder=name_folder(home, root), env=env)
