"""Decide what ``.gitignore`` files hide: the deepest matching file applies, and in it the last matching line.

Git compares bytes, so names and rules are compared as bytes.
"""

import os
from collections.abc import Callable, Iterator

from .pattern import IgnorePattern, parse_patterns


class GitIgnore:
    """Apply the ignore rules of a tree; ``read`` returns the bytes of a folder's ``.gitignore``, or none."""

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self.read = read
        self.rules: dict[str, list[IgnorePattern]] = {}

    def matches(self, path: str, *, folder: bool) -> bool:
        """Return whether the path itself is hidden, given that no folder above it is."""
        for above in reversed([*parent_folders(path)]):
            rules = self.patterns_in(above)
            below = os.fsencode(path[len(above) :].removeprefix("/")) if rules else b""
            for rule in rules:
                if rule.matches(below, folder=folder):
                    return rule.hides
        return False

    def hides(self, path: str, *, folder: bool) -> bool:
        """Return whether the path or a folder above it is hidden."""
        above = [*parent_folders(path)][1:]
        return any(self.matches(part, folder=True) for part in above) or self.matches(path, folder=folder)

    def patterns_in(self, folder: str) -> list[IgnorePattern]:
        """Return the rules of one folder, the last first; each file is read once."""
        if folder not in self.rules:
            self.rules[folder] = list(parse_patterns(self.read(folder)))[::-1]
        return self.rules[folder]


def parent_folders(path: str) -> Iterator[str]:
    """Yield the folders that contain a path, the root (an empty name) first."""
    yield ""
    yield from (path[:n] for n, letter in enumerate(path) if letter == "/")
