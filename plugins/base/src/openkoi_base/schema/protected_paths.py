"""Decide whether patterns protect a path, both as written and as it is on the disk, with links resolved.

A pattern also protects what is below it. ``**/`` also stands for no folder, and relative patterns start at the
workspace.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase, translate
from functools import cache, lru_cache, partial
from glob import escape, has_magic, iglob
from itertools import islice
from pathlib import Path, PurePosixPath

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

FILE = "file://"
CURRENT_FOLDER = (".",)
HOME = lazy_pattern(r"^\$(HOME\b|\{HOME\})")
WILDCARD = lazy_pattern(r"[*?\[]")
# A shell's pattern that could mean very many files is only looked at as it is written.
MAX_MATCHES = 1_000
MAX_WILDCARD_PARTS = 2
ROOT = ""


@dataclass(frozen=True, slots=True)
class ProtectedPath:
    """A path, the pattern that protects it, and the folder that it is relative to."""

    path: str
    glob: str
    folder: str

    def resolve(self, workspace: Path) -> str:
        """Return the path on disk, with links resolved."""
        return os.path.realpath(join_path(workspace, self.folder, self.path))


def first_protected(
    paths: Iterable[str], globs: Sequence[str], workspace: Path, folders: Sequence[str] = CURRENT_FOLDER
) -> ProtectedPath | None:
    """Return the first of the paths that is protected, relative to any of the folders."""
    return next(all_protected(paths, globs, workspace, folders), None)


def all_protected(
    paths: Iterable[str], globs: Sequence[str], workspace: Path, folders: Sequence[str] = CURRENT_FOLDER
) -> Iterator[ProtectedPath]:
    """Yield each protected path, with each folder in which it is protected."""
    matcher = GlobMatcher.build(globs, workspace)
    for path in paths if globs else ():
        for folder in folders:
            glob = next(filter(None, map(matcher.first_match, spell_path(path, workspace, folder))), None)
            if glob:
                yield ProtectedPath(path, glob, folder)


def spell_path(path: str, workspace: Path, folder: str = ".") -> Iterator[str]:
    """Yield a path as written, with links resolved, and as a shell would expand it."""
    written = join_path(workspace, folder, path)
    yield normalize_path(os.path.normpath(written))
    try:
        yield from (normalize_path(os.path.realpath(one)) for one in (written, *expand_glob(written)))
    except (OSError, ValueError):
        return


def join_path(workspace: Path, folder: str, path: str) -> str:
    """Return a full path that keeps ``..``, which after a link leads to another folder than its text suggests."""
    return os.path.join(workspace, expand_home(folder), expand_home(path))  # noqa: PTH118


def expand_home(path: str) -> str:
    """Return a path with the home folder expanded."""
    spelled = HOME.sub("~", path.partition("\0")[0].removeprefix(FILE))
    return os.path.expanduser(spelled)  # noqa: PTH111  # the ~name of a user who is unknown here stays as it is


def expand_glob(pattern: str) -> Iterator[str]:
    """Yield the paths that a shell would expand a path with wildcards to."""
    if 0 < sum(map(has_magic, pattern.split("/"))) <= MAX_WILDCARD_PARTS and "**" not in pattern:
        yield from islice(iglob(pattern), MAX_MATCHES)  # noqa: PTH207  # the pattern is a whole path


@dataclass(frozen=True, slots=True)
class SplitGlob:
    """A pattern's fixed part, and the rest.

    ``name``: the path that a pattern like ``**/.git/**`` looks for at any depth, if that has no wildcard.
    """

    head: str
    tail: str
    name: str = ""

    @property
    def is_plain(self) -> bool:
        """Return whether the pattern matches one path and everything below it."""
        return self.tail in {"", "**"}


@lru_cache(maxsize=1_000)
def split_glob(glob: str) -> SplitGlob:
    """Split a pattern after its fixed part."""
    parts = PurePosixPath(os.path.expanduser(os.path.expandvars(glob)).replace(os.sep, "/")).parts  # noqa: PTH111  # a pattern is not a path
    fixed = next((n for n, part in enumerate(parts) if WILDCARD.search(part)), len(parts))
    head, tail = str(PurePosixPath(*parts[:fixed])), normalize_path("/".join(parts[fixed:]))
    name = tail.removeprefix("**/").removesuffix("/**") if tail.startswith("**/") else ""
    return SplitGlob(head, tail, "" if WILDCARD.search(name) else name)


@dataclass(frozen=True, slots=True)
class GlobMatcher:
    """Finds the first pattern that matches a path. Most patterns have no real wildcard, and are looked up."""

    globs: Sequence[str]
    plain: dict[str, int]
    named: dict[tuple[str, str], int]
    others: list[tuple[int, str]]

    @classmethod
    def build(cls, globs: Sequence[str], workspace: Path) -> "GlobMatcher":
        """Anchor the patterns, both as written and with links in their fixed part resolved."""
        matcher, resolve = cls(globs, {}, {}, []), ResolvedPaths({}).resolve
        bases = cache(partial(base_paths, workspace, resolve))
        for index, split in enumerate(map(split_glob, globs)):
            for base in bases(split.head):
                matcher.add(index, base, split)
        return matcher

    def add(self, index: int, base: str, split: SplitGlob) -> None:
        """Add a pattern below one of its bases."""
        if split.is_plain:
            self.plain.setdefault(base, index)
        elif split.name:
            self.named.setdefault((base, split.name), index)
        else:
            whole = f"{escape(base)}/{split.tail}".rstrip("/")
            self.others.extend((index, one) for one in dict.fromkeys((whole, whole.replace("**/", ""))))

    def first_match(self, place: str) -> str | None:
        """Return the first pattern that matches a path, or a folder that it lies in."""
        above = list(path_and_parents(place))
        found = {self.plain[one] for one in (*above, ROOT) if one in self.plain}
        found |= {index for (base, name), index in self.named.items() if any(lies_at(one, base, name) for one in above)}
        if self.others and any(map(compile_patterns(tuple(one for _, one in self.others)).match, above)):
            found |= {index for index, one in self.others if matches_pattern(place, one)}
        return self.globs[min(found)] if found else None


def lies_at(path: str, base: str, name: str) -> bool:
    """Return whether a path ends in a name, at any depth below a base."""
    above = path.removesuffix(f"/{name}")
    return above != path and f"{above}/".startswith(f"{base}/")


def base_paths(workspace: Path, resolve: Callable[[str], str], head: str) -> Sequence[str]:
    """Return a folder as written and with links resolved."""
    written = os.path.normpath(os.path.join(workspace, head))  # noqa: PTH118  # a hundred of them at each write
    return [normalize_path(one).rstrip("/") for one in dict.fromkeys((written, resolve(written)))]


@dataclass(frozen=True, slots=True)
class ResolvedPaths:
    """Paths with their links resolved. Each folder is looked up once, as many of the paths lie in the same ones."""

    known: dict[str, str]

    def resolve(self, path: str) -> str:
        """Return a path without ``..``, with links resolved."""
        if path not in self.known:
            above, name = os.path.split(path)
            whole = os.path.join(self.resolve(above), name) if name else path  # noqa: PTH118
            simple = os.name == "posix" and not os.path.islink(whole)  # noqa: PTH114
            self.known[path] = whole if simple else os.path.realpath(path)
        return self.known[path]


@lru_cache(maxsize=16)
def compile_patterns(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Combine patterns into one expression; trying each alone takes a hundred times as long."""
    both = [one for pattern in patterns for one in (pattern, pattern.removesuffix("/**"))]
    return re.compile("|".join(map(translate, dict.fromkeys(both))))


def matches_pattern(place: str, pattern: str) -> bool:
    """Return whether a pattern matches a path, or a folder that it lies in; ``folder/**`` matches the folder too."""
    return any(
        fnmatchcase(one, pattern) or fnmatchcase(one, pattern.removesuffix("/**")) for one in path_and_parents(place)
    )


def path_and_parents(place: str) -> Iterator[str]:
    """Return a path and the folders above it."""
    while place.strip("/"):
        yield place
        place = place.rpartition("/")[0]


def normalize_path(path: str) -> str:
    """Normalize a path for systems that ignore case, or use another separator."""
    return path.replace(os.sep, "/").casefold()
