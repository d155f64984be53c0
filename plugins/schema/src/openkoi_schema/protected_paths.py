"""Whether a path is one that patterns protect: as it is written and as it is on the disk, links resolved.

A pattern protects what is below it, too. ``**/`` stands for no folder as well, and relative ones mean the workspace.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase, translate
from functools import cache, lru_cache, partial
from glob import escape, has_magic, iglob
from itertools import islice
from pathlib import Path, PurePosixPath

FILE = "file://"
HERE = (".",)
HOME = re.compile(r"^\$(HOME\b|\{HOME\})")
MAGIC = re.compile(r"[*?\[]")
# A shell's pattern that could mean very many files is only looked at as it is written.
MAX_MATCHES = 1_000
MAX_MAGIC_PARTS = 2


@dataclass(frozen=True, slots=True)
class ProtectedPath:
    """A path, the pattern that protects it, and the folder that it is meant from."""

    path: str
    glob: str
    folder: str

    def place(self, workspace: Path) -> str:
        """Return where it is on the disk."""
        return os.path.realpath(joined(workspace, self.folder, self.path))


def first_protected(
    paths: Iterable[str], globs: Sequence[str], workspace: Path, folders: Sequence[str] = HERE
) -> ProtectedPath | None:
    """Return the first of the paths that is protected, in any of the folders that it may be meant from."""
    return next(all_protected(paths, globs, workspace, folders), None)


def all_protected(
    paths: Iterable[str], globs: Sequence[str], workspace: Path, folders: Sequence[str] = HERE
) -> Iterator[ProtectedPath]:
    """Return each path that is protected, with each of the folders in which it is."""
    bases = cache(partial(spelled_bases, workspace, Resolved({}).real))
    patterns = [(glob, pattern) for glob in globs for pattern in anchored(glob, bases)]
    any_of = one_pattern(tuple(pattern for _, pattern in patterns))
    for path in paths if patterns else ():
        for folder in folders:
            place = next((one for one in spellings(path, workspace, folder) if is_meant(one, any_of)), None)
            if place:
                yield ProtectedPath(path, next(glob for glob, one in patterns if is_below(place, one)), folder)


def spellings(path: str, workspace: Path, folder: str = ".") -> Iterator[str]:
    """Return a path as it is written, as it is on the disk, and what a shell would make of the signs in it."""
    written = joined(workspace, folder, path)
    yield plain(os.path.normpath(written))
    try:
        yield from (plain(os.path.realpath(one)) for one in (written, *matches(written)))
    except (OSError, ValueError):
        return


def joined(workspace: Path, folder: str, path: str) -> str:
    """Return a whole path, its ``..`` as they are: before a link they do not lead to where they seem to."""
    return os.path.join(workspace, at_home(folder), at_home(path))  # noqa: PTH118


def at_home(path: str) -> str:
    """Return a path with the home folder written out, up to a sign that would end it."""
    spelled = HOME.sub("~", path.partition("\0")[0].removeprefix(FILE))
    return os.path.expanduser(spelled)  # noqa: PTH111  # the ~name of a user who is unknown here stays as it is


def matches(pattern: str) -> Iterator[str]:
    """Return what a shell would make of a path with signs in it."""
    if 0 < sum(map(has_magic, pattern.split("/"))) <= MAX_MAGIC_PARTS and "**" not in pattern:
        yield from islice(iglob(pattern), MAX_MATCHES)  # noqa: PTH207  # the pattern is a whole path


def anchored(glob: str, bases: Callable[[str], Sequence[str]]) -> Iterator[str]:
    """Return a pattern from the root on, as it is written and as its fixed part is on the disk."""
    head, tail = divided(os.path.expanduser(glob))  # noqa: PTH111  # a pattern is no path
    for base in bases(head):
        whole = f"{base}/{tail}".rstrip("/")
        yield whole
        if "**/" in whole:
            yield whole.replace("**/", "")


@lru_cache(maxsize=1_000)
def divided(glob: str) -> tuple[str, str]:
    """Return a pattern's fixed part, and what comes after it."""
    parts = PurePosixPath(glob.replace(os.sep, "/")).parts
    fixed = next((n for n, part in enumerate(parts) if MAGIC.search(part)), len(parts))
    return str(PurePosixPath(*parts[:fixed])), plain("/".join(parts[fixed:]))


def spelled_bases(workspace: Path, real: Callable[[str], str], head: str) -> Sequence[str]:
    """Return a folder as it is written and as it is on the disk, as patterns that mean it alone."""
    written = os.path.normpath(os.path.join(workspace, head))  # noqa: PTH118  # a hundred of them at each write
    return [escape(plain(one)).rstrip("/") for one in dict.fromkeys((written, real(written)))]


@dataclass(frozen=True, slots=True)
class Resolved:
    """Paths with their links resolved. Each folder is looked up once, as many of the paths lie in the same ones."""

    known: dict[str, str]

    def real(self, path: str) -> str:
        """Return a path without ``..`` as it is on the disk."""
        if path not in self.known:
            above, name = os.path.split(path)
            whole = os.path.join(self.real(above), name) if name else path  # noqa: PTH118
            simple = os.name == "posix" and not os.path.islink(whole)  # noqa: PTH114
            self.known[path] = whole if simple else os.path.realpath(path)
        return self.known[path]


@lru_cache(maxsize=16)
def one_pattern(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Return an expression for all of some patterns; trying each alone takes a hundred times as long."""
    both = [one for pattern in patterns for one in (pattern, pattern.removesuffix("/**"))]
    return re.compile("|".join(map(translate, dict.fromkeys(both))))


def is_meant(place: str, pattern: re.Pattern[str]) -> bool:
    """Return whether an expression means a path, or a folder that it lies in."""
    return any(pattern.match(one) for one in upwards(place))


def is_below(place: str, pattern: str) -> bool:
    """Return whether a pattern means a path, or a folder that it lies in; ``folder/**`` means the folder too."""
    return any(fnmatchcase(one, pattern) or fnmatchcase(one, pattern.removesuffix("/**")) for one in upwards(place))


def upwards(place: str) -> Iterator[str]:
    """Return a path and the folders above it."""
    while place.strip("/"):
        yield place
        place = place.rpartition("/")[0]


def plain(path: str) -> str:
    """Return one spelling for systems that ignore case, or write folders with another sign."""
    return path.replace(os.sep, "/").casefold()
