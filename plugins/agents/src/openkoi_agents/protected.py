"""Whether what a call is given names a protected path, as it is written and as it is on the disk, links resolved.

Path arguments are told by their names, at any depth; the words of a command are all looked at, for which of them is
written to cannot be told. It prevents accidents; what a program does by itself is the sandbox's affair.
"""

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from glob import escape, has_magic, iglob
from itertools import islice
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from openkoi_hookspecs import Arguments, Json

PATHS = re.compile(
    r"paths?|files?|filenames?|filepath|dirs?|directory|folders?|targets?|destination|dest|dst|source|src|from|to"
    r"|output|out|uri|url|root"
)
COMMANDS = re.compile(r"commands?|cmd|script|shell|argv|args")
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
MAGIC = re.compile(r"[*?\[]")
FILE = "file://"
LONGEST = 4_096
MOST_MATCHES = 1_000


@dataclass(frozen=True, slots=True)
class Touched:
    """A path that a call names, and the glob that protects it."""

    path: str
    glob: str


def first_protected(paths: Iterable[str], globs: Sequence[str], workspace: Path) -> Touched | None:
    """The first of the paths that is protected."""
    anchored = [(glob, pattern) for glob in globs for pattern in anchors(glob, workspace)]
    for path in paths if anchored else ():
        for place in places(path, workspace):
            for glob, pattern in anchored:
                if within(place, pattern):
                    return Touched(path, glob)
    return None


def named_paths(value: "Json | Arguments", key: str = "") -> Iterator[str]:
    """Whatever may be a path, by the name of the argument that holds it."""
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from named_paths(one, name)
    elif isinstance(value, list):
        for one in value:
            yield from named_paths(one, key)
    elif isinstance(value, str):
        told = [word.lower() for word in WORD.findall(key)]
        if any(map(COMMANDS.fullmatch, told)):
            yield from words(value)
        elif any(map(PATHS.fullmatch, told)) and len(value) <= LONGEST:
            yield unquote(value.removeprefix(FILE)) if value.startswith(FILE) else value


def words(line: str) -> Iterator[str]:
    """The words of a shell line; what stands behind a sign such as ``>`` or ``=`` is one by itself."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        found = list(lexer)
    except ValueError:
        found = re.split(r"[\s\"'<>|&;()]+", line)
    for word in found:
        yield from dict.fromkeys((word, word.rpartition("=")[2]))


def places(path: str, workspace: Path) -> Iterator[str]:
    """Where a path leads: as it is written, as it is on the disk, and what a shell would make of the signs in it."""
    if not path or "\0" in path:
        return
    written = os.path.normpath(os.path.join(workspace, os.path.expanduser(path)))  # noqa: PTH111, PTH118  # links are resolved below, and only there
    yield plain(written)
    try:
        yield plain(os.path.realpath(written))
        if has_magic(written) and "**" not in written:
            yield from (plain(os.path.realpath(one)) for one in islice(iglob(written), MOST_MATCHES))  # noqa: PTH207  # the pattern is a whole path
    except (OSError, ValueError):
        return


def anchors(glob: str, workspace: Path) -> Iterator[str]:
    """A glob from the root on, ``**/`` standing for no folder too; relative ones mean the workspace."""
    parts = PurePosixPath(os.path.expanduser(glob).replace(os.sep, "/")).parts  # noqa: PTH111  # a glob is no path yet
    fixed = next((n for n, part in enumerate(parts) if MAGIC.search(part)), len(parts))
    head, tail = os.path.normpath(workspace.joinpath(*parts[:fixed])), "/".join(parts[fixed:])
    for base in dict.fromkeys((head, os.path.realpath(head))):
        whole = f"{escape(plain(base)).rstrip('/')}/{plain(tail)}".rstrip("/")
        yield whole
        if "**/" in whole:
            yield whole.replace("**/", "")


def within(place: str, pattern: str) -> bool:
    """Whether a pattern means a path, or a folder that it lies in; ``folder/**`` means the folder too."""
    if pattern.endswith("/**") and fnmatchcase(place, pattern[:-3]):
        return True
    while place.strip("/"):
        if fnmatchcase(place, pattern):
            return True
        place = place.rpartition("/")[0]
    return False


def plain(path: str) -> str:
    """One spelling for systems that ignore case, or write folders with another sign."""
    return path.replace(os.sep, "/").casefold()
