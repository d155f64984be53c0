"""Compute a digest of all that the results of a project's tests depend on, as far as it is on this machine."""

import os
from collections.abc import Iterator, Sequence
from hashlib import blake2b, file_digest
from pathlib import Path

from .interpreters import find_interpreters
from .project import SKIPPED_FOLDERS

WITHOUT_EFFECT = {".git", ".hg", ".svn", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
INSTALLED = {".venv", ".tox", ".nox", *SKIPPED_FOLDERS} - WITHOUT_EFFECT
VARIABLES = ("PATH", "VIRTUAL_ENV", "PYTHONPATH", "NODE_PATH", "NODE_ENV", "CI")
SITES = ("lib/python*/site-packages", "Lib/site-packages")
MAX_FILES, MAX_BYTES = 20_000, 200_000_000  # about half a second


def digest_state(root: Path, venv: str, settings: Sequence[str]) -> str:
    """Return a digest of a workspace, its environment and settings; empty if it is too large or cannot be read.

    Folders of installed packages are known by the times of what is in them.
    """
    digest = blake2b(digest_size=16)
    variables = (f"{name}={os.environ.get(name)}" for name in VARIABLES)
    packages = (f"{site} {site.stat().st_mtime_ns}" for site in site_packages(root, venv))
    try:
        for part in (str(root), *settings, *variables, *packages, *describe_files(root)):
            digest.update(part.encode(errors="surrogateescape") + b"\0")
    except (OSError, ValueError):
        return ""
    return digest.hexdigest()


def site_packages(root: Path, venv: str) -> Iterator[Path]:
    """Yield the folders of the packages that Python tests may import."""
    for python in find_interpreters(root, venv):
        yield from (site for pattern in SITES for site in sorted(Path(python).parent.parent.glob(pattern)))


def describe_files(root: Path) -> Iterator[str]:
    """Yield each file of a workspace with its mode and content; raise ValueError if there are too many."""
    count = size = 0
    for place, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in WITHOUT_EFFECT)
        for name in INSTALLED.intersection(folders):
            folders.remove(name)
            yield from describe_installed(Path(place, name))
        for name in sorted(names):
            path = Path(place, name)
            status = path.lstat()
            count, size = count + 1, size + status.st_size
            if count > MAX_FILES or size > MAX_BYTES:
                raise ValueError(f"{root} is too large")
            yield f"{path} {status.st_mode} {read_digest(path)}"


def describe_installed(folder: Path) -> Iterator[str]:
    """Yield what a folder of installed packages contains, with times."""
    for entry in sorted(os.scandir(folder), key=lambda one: one.name):
        yield f"{entry.path} {entry.stat(follow_symlinks=False).st_mtime_ns}"


def read_digest(path: Path) -> str:
    """Return a digest of a file, or where a link leads."""
    if path.is_symlink():
        return str(path.readlink())
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return file_digest(file, "blake2b").hexdigest()
