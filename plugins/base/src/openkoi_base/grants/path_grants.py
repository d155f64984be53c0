"""Match paths against a grant such as ``read:~/notes/*.md``, after links and ``..`` are resolved."""

import os
import re
from pathlib import Path

from openkoi_hookspecs import ConfigError
from openkoi_hookspecs.lazy_dataclass import dataclass

ACCESSES = {"read": (True, False), "write": (False, True), "readwrite": (True, True)}
WILDCARD = re.compile(r"[*?]")
INVALID = (
    '{text!r} is not a grant of files. Write "read:", "write:" or "readwrite:" and a path that begins with "/", "~/" '
    'or "./", such as "read:~/notes/*.md".'
)


@dataclass(frozen=True, slots=True)
class PathGrant:
    """Which files may be read or written. ``*`` stands for names within a folder, ``**`` for folders of any depth."""

    pattern: str
    may_read: bool
    may_write: bool

    @classmethod
    def parse(cls, text: str) -> "PathGrant":
        """Return a grant; raise ConfigError for a text that is none."""
        access, separator, pattern = text.partition(":")
        segments = pattern.split("/")
        if not separator or access not in ACCESSES or segments[0] not in ("", "~", ".") or len(segments) < 2:
            raise ConfigError(INVALID.format(text=text))
        if ".." in segments or "\0" in pattern:
            raise ConfigError(INVALID.format(text=text))
        return cls(pattern, *ACCESSES[access])

    def covers(self, path: Path, root: Path) -> bool:
        """Return whether the file that a path leads to is one of the grant; ``root`` is what ``./`` stands for."""
        return self.covers_resolved(Path(os.path.realpath(root / path)), root)

    def covers_resolved(self, path: Path, root: Path) -> bool:
        """Return whether a path without links is one of the grant."""
        folder, wildcards = self.split(root)
        if self.pattern.startswith("./") and not folder.is_relative_to(os.path.realpath(root)):
            return False  # a folder of the workspace was replaced by a link that leads out of it
        try:
            below = path.relative_to(folder)
        except ValueError:
            return False
        return path != folder and re.fullmatch(wildcards, below.as_posix()) is not None

    def folder(self, root: Path) -> Path:
        """Return the folder that contains everything of the grant, without links."""
        return self.split(root)[0]

    def split(self, root: Path) -> tuple[Path, str]:
        """Return the folder before the first wildcard, without links, and a regular expression for what is below."""
        first, *segments = self.pattern.split("/")
        start = {"": Path("/"), "~": Path.home(), ".": root}[first]
        plain = next((place for place, one in enumerate(segments) if WILDCARD.search(one)), len(segments) - 1)
        return Path(os.path.realpath(start.joinpath(*segments[:plain]))), translate(segments[plain:])


def translate(segments: list[str]) -> str:
    """Return a regular expression for the path below a folder."""
    parts = [r"(?:[^/]+/)*" if one == "**" else f"{translate_segment(one)}/" for one in segments[:-1]]
    last = r".+" if segments[-1] == "**" else translate_segment(segments[-1])
    return "".join([*parts, last])


def translate_segment(segment: str) -> str:
    wildcards = {"*": "[^/]*", "?": "[^/]"}
    return "".join(wildcards.get(one, re.escape(one)) for one in segment)
