"""Recognize files that hold keys or passwords, such as ``.env``, by the list in ``rules/secret_files.table``."""

import posixpath
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .command_rules import RULES, read_table
from .limits import MAX_TOKEN_FILE_BYTES

SPELLED_HOME = lazy_pattern(r"^(/home/[^/]+|/root|/Users/[^/]+|~[\w.-]+|[A-Za-z]:/Users/[^/]+)(?=/|$)")
# Patterns that the list cannot express: all of ~/.ssh but what is public, and the stores of Windows and Chrome.
SPECIAL = lazy_pattern(
    r"(?:^|/)(?:\.ssh/?|\.ssh/(?!.*\.pub$|known_hosts|config$|authorized_keys)[^/]+|\.aws/?|login data"
    r"|application support/google/chrome(?:/.*)?|windows/system32/config/(?:sam|system))$"
)
MAY_BE_SECRET = lazy_pattern(r"[./\\]|id_|login data", re.IGNORECASE)
# A literal key or password, not the name of a variable.
TOKEN = lazy_pattern(
    r"(?:token|passw(?:or)?d|secret|_auth|apikey|api_key)[\w:.-]*[\"']?\s*[=:>]\s*[\"']?(?![$%<{])[\w+/.=~-]{8,}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SecretFile:
    """A file of the list by the parts of its path, or a folder with everything in it."""

    parts: tuple[str, ...]
    is_folder: bool

    def matches(self, parts: Sequence[str]) -> bool:
        """Return whether the parts of a path, from one of them on, are those of the file."""
        count = len(self.parts)
        return (len(parts) == count or (self.is_folder and len(parts) > count)) and all(
            map(fnmatchcase, parts, self.parts)
        )


@cache
def load_secret_files(place: str) -> dict[str, list[SecretFile]]:
    """Return the files of one section of the list, by the first part of their paths."""
    found: dict[str, list[SecretFile]] = {}
    rows = map(str.split, read_table(RULES / "secret_files.table"))
    for name in (name for kind, *names in rows if kind == place for name in names):
        parts = tuple(name.rstrip("/").split("/"))
        found.setdefault(parts[0], []).append(SecretFile(parts, name.endswith("/")))
    return found


@cache
def load_project_files() -> frozenset[str]:
    """Return the names of files that hold a key in some projects."""
    rows = map(str.split, read_table(RULES / "secret_files.table"))
    return frozenset(name for kind, *names in rows if kind == "project" for name in names)


def normalize_home(path: str) -> str:
    """Return a path in one spelling, with ``~`` for a home folder."""
    slashed = path.replace("\\", "/").removeprefix("file://").removeprefix("@")
    drive = re.sub(r"^//(?!\./)", "/", posixpath.normpath(slashed)) if slashed else ""
    return SPELLED_HOME.sub("~", drive)


def is_secret(path: str) -> bool:
    """Return whether a path leads to a key or password."""
    if not MAY_BE_SECRET.search(path):
        return False
    name = normalize_home(path).lower()
    parts = name.split("/")
    root = {"~": "home", "": "system"}.get(parts[0], "")
    if root and is_listed(parts[1:2], parts[1:], root):
        return True
    return is_listed(parts, parts, "anywhere") or SPECIAL.search(name) is not None


def is_listed(starts: Sequence[str], parts: Sequence[str], place: str) -> bool:
    """Return whether an entry of the list starts with one of the first parts of a path."""
    listed = load_secret_files(place)
    return any(one.matches(parts[at:]) for at, start in enumerate(starts) if start in listed for one in listed[start])


def may_hold_token(path: str) -> bool:
    """Return whether a project file may contain a key, so that it must be searched."""
    return posixpath.basename(path).lower() in load_project_files()


def holds_token(file: Path) -> bool:
    """Return whether the beginning of a file contains a key or password."""
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            return TOKEN.search(opened.read(MAX_TOKEN_FILE_BYTES)) is not None
    except (OSError, ValueError):
        return False
