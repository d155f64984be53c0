"""Copy a project for evaluation: first as it was, then as it is.

The project itself is only read. Files of the machine rather than of the work are in the copy from the start: installed
packages, files that git ignores. A virtual environment is linked, because it works only in its own place; caches are
skipped.
"""

import filecmp
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from openkoi_base.files import walk

from .git import GitRepository

REPOSITORIES = frozenset({".git", ".hg", ".svn"})
CACHES = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".nox", ".hypothesis"})
INSTALLED_FOLDERS = ("node_modules", ".venv", "venv")
CACHE_TAG_FILE = "CACHEDIR.TAG"
NOTE_FILE = "evaluate.json"


@dataclass(frozen=True, kw_only=True)
class WorkspaceCopy:
    """A copy of ``folder`` in ``to``. ``commit`` is the commit that it starts from, if any.

    A note beside the copy says what to copy, for a process that gets only the copy.
    """

    folder: Path
    to: Path
    repository: GitRepository | None = None
    commit: str = ""

    @classmethod
    def open_at(cls, to: Path) -> "WorkspaceCopy | None":
        """Return the copy at a place; None if there is none."""
        try:
            note = json.loads((to.parent / NOTE_FILE).read_text("utf-8"))
        except OSError:
            return None
        repository = GitRepository(Path(note["top"])) if note["top"] else None
        return cls(folder=Path(note["folder"]), to=to, repository=repository, commit=note["commit"])

    def lay_out_base(self) -> None:
        """Write the earlier state, and add the machine's files."""
        self.to.mkdir(parents=True)
        if self.repository and self.commit:
            self.repository.export(self.commit, self.folder, self.to)
        top = str(self.repository.top) if self.repository else ""
        note = {"folder": str(self.folder), "top": top, "commit": self.commit, "laid": list(walk_files(self.to))}
        (self.to.parent / NOTE_FILE).write_text(json.dumps(note), "utf-8")
        for source, name in self.machine_files():
            if not os.path.lexists(self.to / name):
                copy_or_link(source, self.to / name)

    @cached_property
    def base_files(self) -> frozenset[str]:
        """The files that the copy started with."""
        return frozenset(json.loads((self.to.parent / NOTE_FILE).read_text("utf-8"))["laid"])

    def bring_up_to_date(self) -> None:
        """Update the copy to the present state; do not touch files that are already equal."""
        now = self.work_files()
        for path in sorted(self.base_files.difference(now), reverse=True):
            remove_file(self.to / path, self.to)
        for path in now:
            copy_as_new(self.folder / path, self.to / path)

    def is_changed(self) -> bool:
        """Return whether anything differs from the earlier state."""
        now = self.work_files()
        return self.base_files != set(now) or not all(is_same_file(self.folder / path, self.to / path) for path in now)

    def work_files(self) -> list[str]:
        """Return the evaluated files: all but hidden files, installed packages and caches."""
        if self.repository is None:
            return list(walk_files(self.folder))
        return [path for path in self.repository.tracked_or_new(self.folder) if is_file_or_link(self.folder / path)]

    def machine_files(self) -> Iterator[tuple[Path, str]]:
        """Yield the machine's files and folders that the work needs, such as packages, with their names in the copy.

        This includes packages installed in parent folders.
        """
        hidden = self.repository.ignored_paths(self.folder) if self.repository else find_installed(self.folder)
        for name in (path.rstrip("/") for path in hidden):
            if not is_cache(self.folder / name):
                yield self.folder / name, name
        for above in self.parent_folders():
            yield from ((above / name, name) for name in INSTALLED_FOLDERS if (above / name).is_dir())

    def parent_folders(self) -> Sequence[Path]:
        """Return the parent folders, up to the repository's top."""
        if self.repository is None:
            return ()
        return [one for one in self.folder.parents if one.is_relative_to(self.repository.top)]


def find_installed(folder: Path) -> Iterator[str]:
    """Yield the outermost folders of installed packages."""
    for here, names, _ in walk(folder):
        inside = Path(here)
        found = [name for name in names if is_installed(inside / name)]
        yield from ((inside / name).relative_to(folder).as_posix() for name in found)
        names[:] = [name for name in names if name not in found and not is_cache(inside / name)]


def walk_files(folder: Path) -> Iterator[str]:
    """Yield the files below a folder, except those in repositories, caches and installed packages."""
    for here, names, files in walk(folder):
        inside = Path(here)
        links = [name for name in names if (inside / name).is_symlink()]
        names[:] = [one for one in names if one not in links and not is_skipped(inside / one)]
        for name in (*files, *links):
            if is_file_or_link(inside / name) and name not in REPOSITORIES:
                yield (inside / name).relative_to(folder).as_posix()


def is_skipped(folder: Path) -> bool:
    """Return whether a folder is not part of the work."""
    return is_cache(folder) or is_installed(folder)


def is_installed(folder: Path) -> bool:
    """Return whether packages are installed in a folder."""
    return folder.name == "node_modules" or (folder / "pyvenv.cfg").is_file()


def is_cache(path: Path) -> bool:
    """Return whether a folder is a cache or a repository."""
    return path.name in CACHES | REPOSITORIES or (path / CACHE_TAG_FILE).is_file() or path.suffix == ".pyc"


def is_file_or_link(path: Path) -> bool:
    """Return whether a path is a file or a link, rather than a folder, a pipe or a device."""
    return path.is_symlink() or path.is_file()


def copy_or_link(source: Path, copy: Path) -> None:
    """Copy one of the machine's files or folders; link a virtual environment."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    if (source / "pyvenv.cfg").is_file():
        copy.symlink_to(source.resolve(), target_is_directory=True)
    elif source.is_dir() and not source.is_symlink():
        shutil.copytree(source, copy, symlinks=True, ignore=special_or_cache, dirs_exist_ok=True)
    elif is_file_or_link(source):
        shutil.copy2(source, copy, follow_symlinks=False)


def special_or_cache(folder: str, names: list[str]) -> list[str]:
    """Return the names that are caches, or not files, folders or links."""
    there = [(name, Path(folder, name)) for name in names]
    return [name for name, path in there if is_cache(path) or not (is_file_or_link(path) or path.is_dir())]


def copy_as_new(source: Path, copy: Path) -> None:
    """Copy a file that differs, with a new modification time for build tools."""
    if is_same_file(source, copy):
        return
    remove_file(copy, copy)
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, copy, follow_symlinks=False)
    if not source.is_symlink():
        shutil.copymode(source, copy)


def is_same_file(source: Path, copy: Path) -> bool:
    """Return whether two files have equal content and executable bits."""
    if source.is_symlink() or copy.is_symlink():
        both = source.is_symlink() and copy.is_symlink()
        return both and source.readlink() == copy.readlink()
    if not copy.is_file() or os.access(source, os.X_OK) != os.access(copy, os.X_OK):
        return False
    return filecmp.cmp(source, copy, shallow=False)


def remove_file(path: Path, top: Path) -> None:
    """Remove a file, and the folders up to ``top`` that are then empty."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    for folder in path.parents:
        if not folder.is_relative_to(top) or folder == top or any(folder.iterdir()):
            return
        folder.rmdir()


def relative_name(folder: Path, base: Path) -> str:
    """Return a folder's name relative to the base; empty for the base itself."""
    if folder == base:
        return ""
    return PurePosixPath(folder.relative_to(base) if folder.is_relative_to(base) else folder).as_posix()
