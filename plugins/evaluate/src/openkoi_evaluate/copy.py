"""A copy of a project to evaluate in: as it was, then as it is. The project itself is only ever read.

What belongs to the machine and not to the work is there from the start: installed packages, files that git ignores. A
virtual environment is linked to, for it works in its own place alone; caches are left out.
"""

import filecmp
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from .git import Repository

REPOSITORIES = frozenset({".git", ".hg", ".svn"})
CACHES = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".nox", ".hypothesis"})
INSTALLED = ("node_modules", ".venv", "venv")
TAG = "CACHEDIR.TAG"
NOTE = "evaluate.json"


@dataclass(frozen=True, kw_only=True)
class Copy:
    """A ``folder``, the place where it is copied ``to``, and the ``commit`` to begin with; nothing without one.

    A note beside the copy says what is to come into it, for whoever is told of the copy alone.
    """

    folder: Path
    to: Path
    repository: Repository | None = None
    commit: str = ""

    @classmethod
    def at(cls, to: Path) -> "Copy | None":
        """The copy that is made there; None where none is."""
        try:
            said = json.loads((to.parent / NOTE).read_text("utf-8"))
        except OSError:
            return None
        repository = Repository(Path(said["top"])) if said["top"] else None
        return cls(folder=Path(said["folder"]), to=to, repository=repository, commit=said["commit"])

    def begin(self) -> None:
        """Lay out how it was, and what the machine has for it."""
        self.to.mkdir(parents=True)
        if self.repository and self.commit:
            self.repository.export(self.commit, self.folder, self.to)
        top = str(self.repository.top) if self.repository else ""
        note = {"folder": str(self.folder), "top": top, "commit": self.commit, "laid": list(walked(self.to))}
        (self.to.parent / NOTE).write_text(json.dumps(note), "utf-8")
        for source, name in self.surroundings():
            if not os.path.lexists(self.to / name):
                lend(source, self.to / name)

    @cached_property
    def laid(self) -> frozenset[str]:
        """The files that the copy began with."""
        return frozenset(json.loads((self.to.parent / NOTE).read_text("utf-8"))["laid"])

    def arrive(self) -> None:
        """Make it as it is now; what is the same already is not touched."""
        now = self.work()
        for path in sorted(self.laid.difference(now), reverse=True):
            removed(self.to / path, self.to)
        for path in now:
            fresh(self.folder / path, self.to / path)

    def changed(self) -> bool:
        """Whether anything is other than it was."""
        now = self.work()
        return self.laid != set(now) or not all(same(self.folder / path, self.to / path) for path in now)

    def work(self) -> list[str]:
        """The files that are judged: all but what is hidden, installed or a cache."""
        if self.repository is None:
            return list(walked(self.folder))
        return [path for path in self.repository.present(self.folder) if is_file(self.folder / path)]

    def surroundings(self) -> Iterator[tuple[Path, str]]:
        """What the machine has for it, and its name in the copy; what is installed further up comes with it."""
        hidden = self.repository.hidden(self.folder) if self.repository else installed_in(self.folder)
        for name in (path.rstrip("/") for path in hidden):
            if not is_cache(self.folder / name):
                yield self.folder / name, name
        for above in self.above():
            yield from ((above / name, name) for name in INSTALLED if (above / name).is_dir())

    def above(self) -> Sequence[Path]:
        """The folders above, up to the repository's top."""
        if self.repository is None:
            return ()
        return [one for one in self.folder.parents if one.is_relative_to(self.repository.top)]


def installed_in(folder: Path) -> Iterator[str]:
    """The outermost folders of installed packages."""
    for here, names, _ in os.walk(folder):
        inside = Path(here)
        found = [name for name in names if is_installed(inside / name)]
        yield from ((inside / name).relative_to(folder).as_posix() for name in found)
        names[:] = [name for name in names if name not in found and not is_cache(inside / name)]


def walked(folder: Path) -> Iterator[str]:
    """The files below a folder, but for repositories, caches and what is installed."""
    for here, names, files in os.walk(folder):
        inside = Path(here)
        links = [name for name in names if (inside / name).is_symlink()]
        names[:] = [one for one in names if one not in links and not passed_over(inside / one)]
        for name in (*files, *links):
            if is_file(inside / name) and name not in REPOSITORIES:
                yield (inside / name).relative_to(folder).as_posix()


def passed_over(folder: Path) -> bool:
    """Whether a folder is no work."""
    return is_cache(folder) or is_installed(folder)


def is_installed(folder: Path) -> bool:
    """Whether packages are installed in a folder."""
    return folder.name == "node_modules" or (folder / "pyvenv.cfg").is_file()


def is_cache(path: Path) -> bool:
    """Whether it can be made again, or is a repository."""
    return path.name in CACHES | REPOSITORIES or (path / TAG).is_file() or path.suffix == ".pyc"


def is_file(path: Path) -> bool:
    """Whether it is a file or a link: neither a folder, nor a pipe or a device."""
    return path.is_symlink() or path.is_file()


def lend(source: Path, copy: Path) -> None:
    """Bring what the machine has: a virtual environment is linked to, all else is copied."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    if (source / "pyvenv.cfg").is_file():
        copy.symlink_to(source.resolve(), target_is_directory=True)
    elif source.is_dir() and not source.is_symlink():
        shutil.copytree(source, copy, symlinks=True, ignore=special, dirs_exist_ok=True)
    elif is_file(source):
        shutil.copy2(source, copy, follow_symlinks=False)


def special(folder: str, names: list[str]) -> list[str]:
    """What is neither a file, a folder nor a link, and what is a cache."""
    there = [(name, Path(folder, name)) for name in names]
    return [name for name, path in there if is_cache(path) or not (is_file(path) or path.is_dir())]


def fresh(source: Path, copy: Path) -> None:
    """Copy a file that is another, as new: builders go by the time of a change."""
    if same(source, copy):
        return
    removed(copy, copy)
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, copy, follow_symlinks=False)
    if not source.is_symlink():
        shutil.copymode(source, copy)


def same(source: Path, copy: Path) -> bool:
    """Whether two files are alike, and may be run alike."""
    if source.is_symlink() or copy.is_symlink():
        both = source.is_symlink() and copy.is_symlink()
        return both and source.readlink() == copy.readlink()
    if not copy.is_file() or os.access(source, os.X_OK) != os.access(copy, os.X_OK):
        return False
    return filecmp.cmp(source, copy, shallow=False)


def removed(path: Path, top: Path) -> None:
    """Take a file away, and the folders up to ``top`` that are empty then."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    for folder in path.parents:
        if not folder.is_relative_to(top) or folder == top or any(folder.iterdir()):
            return
        folder.rmdir()


def name_in(folder: Path, base: Path) -> str:
    """How a folder is called from where a person stands; empty for that place itself."""
    if folder == base:
        return ""
    return PurePosixPath(folder.relative_to(base) if folder.is_relative_to(base) else folder).as_posix()
