"""Match paths against a grant such as ``read:~/notes/*.md``, after links and ``..`` are resolved."""

import os
import re
from pathlib import Path

from openkoi_hookspecs import ConfigError
from openkoi_hookspecs.lazy_dataclass import dataclass

ACCESSES = {"read": (True, False), "write": (False, True), "readwrite": (True, True)}
WILDCARD = re.compile(r"[*?]")
MAX_PATTERN = 4_096  # characters; PATH_MAX of Linux
INVALID = (
    '{text!r} is not a file grant. Use "read:", "write:" or "readwrite:" and a path that begins with "/", "~/" '
    'or "./", such as "read:~/notes/*.md".'
)


@dataclass(frozen=True, slots=True)
class PathGrant:
    """Which files may be read or written. ``*`` matches names within a folder, ``**`` folders of any depth."""

    pattern: str
    may_read: bool
    may_write: bool

    @classmethod
    def parse(cls, text: str) -> "PathGrant":
        """Return a grant; raise ConfigError for an invalid text."""
        access, separator, pattern = text.partition(":")
        segments = pattern.split("/")
        if not separator or access not in ACCESSES or segments[0] not in ("", "~", ".") or len(segments) < 2:
            raise ConfigError(INVALID.format(text=text[:200]))
        if ".." in segments or "\0" in pattern or len(pattern) > MAX_PATTERN:
            raise ConfigError(INVALID.format(text=text[:200]))
        return cls(pattern, *ACCESSES[access])

    def covers(self, path: Path, root: Path) -> bool:
        """Return whether the grant covers the file that a path leads to; ``./`` is relative to ``root``."""
        return self.covers_resolved(Path(os.path.realpath(root / path)), root)

    def covers_resolved(self, path: Path, root: Path) -> bool:
        """Return whether the grant covers a path without links."""
        folder, wildcards = self.split(root)
        if self.pattern.startswith("./") and not folder.is_relative_to(os.path.realpath(root)):
            return False  # a folder of the workspace was replaced by a link that leads out of it
        try:
            below = path.relative_to(folder)
        except ValueError:
            return False
        return path != folder and re.fullmatch(wildcards, below.as_posix()) is not None

    def folder(self, root: Path) -> Path:
        """Return the folder that contains everything that the grant covers, without links."""
        return self.split(root)[0]

    def split(self, root: Path) -> tuple[Path, str]:
        """Return the folder before the first wildcard, without links, and a regular expression for what is below."""
        first, *segments = self.pattern.split("/")
        start = {"": Path("/"), "~": Path.home(), ".": root}[first]
        plain = next((place for place, one in enumerate(segments) if WILDCARD.search(one)), len(segments) - 1)
        return Path(os.path.realpath(start.joinpath(*segments[:plain]))), translate(segments[plain:])


def translate(segments: list[str]) -> str:
    """Return a regular expression for the path below a folder.

    What follows a ``**`` is looked for once, where it comes first; only the last one is tried at every place.
    """
    *groups, last = split_at(segments, "**")
    if not groups:
        return "/".join(map(translate_segment, last))
    first, *middle = ["".join(f"{translate_segment(one)}/" for one in group) for group in groups]
    found = "".join(f"(?>(?:[^/]++/)*?{one})" for one in middle if one)
    return first + found + (r"(?:[^/]++/)*" + "/".join(map(translate_segment, last)) if last else r".+")


def split_at(segments: list[str], separator: str) -> list[list[str]]:
    """Return the lists between separators."""
    found: list[list[str]] = [[]]
    for one in segments:
        if one == separator:
            found.append([])
        else:
            found[-1].append(one)
    return found


def translate_segment(segment: str) -> str:
    return translate_stars(segment, "[^/]")


def translate_stars(text: str, star: str) -> str:
    """Return a regular expression in which ``*`` matches any number of these characters, and ``?`` one.

    What follows a star is looked for once, where it comes first: to try all places of all stars could take years.
    """
    first, *others = ["".join(star if one == "?" else re.escape(one) for one in part) for part in text.split("*")]
    found = "".join(f"(?>{star}*?{one})" for one in others[:-1] if one)
    return first + found + (f"{star}*{others[-1]}" if others else "")
