"""Compute a digest of everything on this machine that a project's test results depend on."""

import os
import stat
import time
from collections.abc import Iterator, Sequence
from dataclasses import field
from hashlib import blake2b
from pathlib import Path
from typing import TypeAlias

from openkoi_base.files.project_files import SKIPPED_FOLDERS
from openkoi_hookspecs.lazy_dataclass import dataclass

from .interpreters import find_interpreters

WITHOUT_EFFECT = {".git", ".hg", ".svn", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
INSTALLED = {".venv", ".tox", ".nox", *SKIPPED_FOLDERS} - WITHOUT_EFFECT
VARIABLES = ("PATH", "VIRTUAL_ENV", "PYTHONPATH", "NODE_PATH", "NODE_ENV", "CI")
SITES = ("lib/python*/site-packages", "Lib/site-packages")
MAX_FILES, MAX_BYTES = 20_000, 200_000_000  # about half a second
SETTLED_SECONDS = 2.0  # a file may change again with the same time, where clocks of file systems are coarse
FileVersion: TypeAlias = tuple[str, int, int, int]


@dataclass(frozen=True, slots=True)
class StateDigests:
    """Digests of workspaces; a file that has not changed since the last one is not read again."""

    files: dict[FileVersion, bytes] = field(default_factory=dict)

    def digest(self, root: Path, venv: str, settings: Sequence[str]) -> str:
        """Return a digest of a workspace, its environment and settings; empty if it is too large or cannot be read.

        Folders of installed packages are identified by the modification times of their entries.
        """
        whole = blake2b(digest_size=16)
        variables = (f"{name}={os.environ.get(name)}" for name in VARIABLES)
        try:
            for part in (str(root), *settings, *variables, *describe_packages(root, venv)):
                whole.update(part.encode(errors="surrogateescape") + b"\0")
            count = size = 0
            for entry in project_entries(str(root)):
                status = entry.stat(follow_symlinks=False)
                count, size = count + 1, size + status.st_size
                if count > MAX_FILES or size > MAX_BYTES:
                    return ""
                whole.update(f"{entry.path} {status.st_mode}\0".encode(errors="surrogateescape"))
                whole.update(self.content(entry, status))
        except OSError:
            return ""
        return whole.hexdigest()

    def content(self, entry: "os.DirEntry[str]", status: os.stat_result) -> bytes:
        """Return a digest of a file, where a link leads, or when an installed package changed."""
        if stat.S_ISLNK(status.st_mode):
            return os.readlink(entry.path).encode(errors="surrogateescape")  # noqa: PTH115  # of thousands of files
        if not stat.S_ISREG(status.st_mode):
            return str(status.st_mtime_ns).encode()
        version = entry.path, status.st_size, status.st_mtime_ns, status.st_ctime_ns
        known = self.files.get(version)
        return self.read(entry.path, version, status) if known is None else known

    def read(self, path: str, version: FileVersion, status: os.stat_result) -> bytes:
        """Return a digest of a file's content, and keep it."""
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123  # of thousands of files
            digest = blake2b(file.read(), digest_size=16).digest()
        if len(self.files) >= MAX_FILES:
            self.files.clear()
        if time.time() - status.st_ctime > SETTLED_SECONDS:
            self.files[version] = digest
        return digest


def describe_packages(root: Path, venv: str) -> Iterator[str]:
    """Yield the folders of the packages that Python tests may import, with their times."""
    for python in find_interpreters(root, venv):
        for pattern in SITES:
            for site in sorted(Path(python).parent.parent.glob(pattern)):
                yield f"{site} {site.stat().st_mtime_ns}"


def project_entries(folder: str) -> Iterator["os.DirEntry[str]"]:
    """Yield the files of a workspace, and what is directly in its folders of installed packages."""
    with os.scandir(folder) as listing:
        entries = sorted(listing, key=lambda entry: entry.name)
    for entry in entries:
        if not entry.is_dir(follow_symlinks=False):
            yield entry
        elif entry.name in INSTALLED:
            with os.scandir(entry.path) as listing:
                yield from sorted(listing, key=lambda one: one.name)
        elif entry.name not in WITHOUT_EFFECT:
            yield from project_entries(entry.path)
