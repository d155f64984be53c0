"""Recognize files that hold keys or passwords, by the list in ``rules/secret_files.table``."""

import posixpath
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .patterns import RULES, lines_of

SPELLED_HOME = re.compile(r"^(/home/[^/]+|/root|/Users/[^/]+|~[\w.-]+|[A-Za-z]:/Users/[^/]+)(?=/|$)")
# What only an expression can say: all of ~/.ssh but what is public, and the stores of Windows and Chrome.
SPECIAL = (
    r"(?:.*/)?\.ssh/?|(?:.*/)?\.ssh/(?!.*\.pub$|known_hosts|config$|authorized_keys)[^/]+|(?:.*/)?\.aws/?"
    r"|(?:.*/)?login data|(?:.*/)?application support/google/chrome(?:/.*)?|.*system32/config/(?:sam|system)"
)
ABOVE = {"anywhere": "(?:.*/)?", "home": "~/", "system": "/"}
MAY_BE_SECRET = re.compile(r"[./\\]|id_|login data", re.IGNORECASE)
# A key or password that is written out, not a variable that names one.
TOKEN = re.compile(
    r"(?:token|passw(?:or)?d|secret|_auth|apikey|api_key)[\w:.-]*[\"']?\s*[=:>]\s*[\"']?(?![$%<{])[\w+/.=~-]{8,}",
    re.IGNORECASE,
)
MAX_BYTES = 64 * 1024


@cache
def secret_paths() -> re.Pattern[str]:
    """Return an expression for all files of the list."""
    return re.compile("|".join((SPECIAL, *expressions())), re.IGNORECASE)


def expressions() -> Iterator[str]:
    """Yield an expression for each row that names whole places."""
    for kind, *names in map(str.split, lines_of(RULES / "secret_files.table")):
        if kind in ABOVE:
            yield f"{ABOVE[kind]}(?:{'|'.join(map(expression, names))})"


def expression(name: str) -> str:
    """Return an expression for a file, or for a folder and all that is in it."""
    path = re.escape(name.rstrip("/")).replace(r"\*", "[^/]*")
    return f"{path}(?:/.*)?" if name.endswith("/") else path


@cache
def project_files() -> frozenset[str]:
    """Return the names of files that hold a key in some projects."""
    rows = map(str.split, lines_of(RULES / "secret_files.table"))
    return frozenset(name for kind, *names in rows if kind == "project" for name in names)


def normalize_home(path: str) -> str:
    """Return a path in one spelling, with ``~`` for a home folder."""
    slashed = path.replace("\\", "/").removeprefix("file://").removeprefix("@")
    drive = re.sub(r"^//(?!\./)", "/", posixpath.normpath(slashed)) if slashed else ""
    return SPELLED_HOME.sub("~", drive)


def is_secret(path: str) -> bool:
    """Return whether a path leads to a key or password."""
    return MAY_BE_SECRET.search(path) is not None and secret_paths().fullmatch(normalize_home(path)) is not None


def may_hold_token(path: str) -> bool:
    """Return whether a file of a project may hold a key, so that it has to be looked into."""
    return posixpath.basename(path).lower() in project_files()


def holds_token(file: Path) -> bool:
    """Return whether a key or password is written out in the beginning of a file."""
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            return TOKEN.search(opened.read(MAX_BYTES)) is not None
    except (OSError, ValueError):
        return False
