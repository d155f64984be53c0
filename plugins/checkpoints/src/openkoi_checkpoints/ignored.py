"""What ``.gitignore`` files hide: the deepest file with an opinion holds, and in it the last line.

Git compares bytes, so names and rules are compared as bytes too.
"""

import os
from collections.abc import Callable, Iterator

from .pattern import Pattern, patterns


class Ignored:
    """The rules of a tree. ``read`` returns the bytes of a folder's ``.gitignore``, or none."""

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self.read = read
        self.rules: dict[str, list[Pattern]] = {}

    def matches(self, path: str, *, folder: bool) -> bool:
        """Tell whether the path itself is hidden, given that no folder above it is."""
        for above in reversed([*folders_above(path)]):
            rules = self.of(above)
            below = os.fsencode(path[len(above) :].removeprefix("/")) if rules else b""
            for rule in rules:
                if rule.speaks_of(below, folder=folder):
                    return rule.hides
        return False

    def hides(self, path: str, *, folder: bool) -> bool:
        """Tell whether the path or a folder above it is hidden."""
        above = [*folders_above(path)][1:]
        return any(self.matches(part, folder=True) for part in above) or self.matches(path, folder=folder)

    def of(self, folder: str) -> list[Pattern]:
        """The rules that stand in one folder, the last first, read once."""
        if folder not in self.rules:
            self.rules[folder] = list(patterns(self.read(folder)))[::-1]
        return self.rules[folder]


def folders_above(path: str) -> Iterator[str]:
    """The folders a path lies in, the root (an empty name) first."""
    yield ""
    yield from (path[:n] for n, letter in enumerate(path) if letter == "/")
