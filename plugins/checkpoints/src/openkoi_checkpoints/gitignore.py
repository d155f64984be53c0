"""Decide what ``.gitignore`` files hide: the deepest matching file applies, and in it the last matching line.

Git compares bytes, so names and rules are compared as bytes.
"""

import os
from collections.abc import Callable, Iterator

from .pattern import IgnorePattern, parse_patterns

FolderRules = tuple[tuple[str, list[IgnorePattern]], ...]  # folders with their rules, the last rule first


class GitIgnore:
    """Apply the ignore rules of a tree; ``read`` returns the bytes of a folder's ``.gitignore``, or none."""

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self.read = read
        self.rules: dict[str, FolderRules] = {}

    def matches(self, path: str, *, folder: bool) -> bool:
        """Return whether the path itself is hidden, given that no folder above it is."""
        for above, rules in self.rules_in(path.rpartition("/")[0]):
            below = os.fsencode(path[len(above) :].removeprefix("/"))
            for rule in rules:
                if rule.matches(below, folder=folder):
                    return rule.hides
        return False

    def hides(self, path: str, *, folder: bool) -> bool:
        """Return whether the path or a folder above it is hidden."""
        above = [*parent_folders(path)][1:]
        return any(self.matches(part, folder=True) for part in above) or self.matches(path, folder=folder)

    def rules_in(self, folder: str) -> "FolderRules":
        """Return the folders whose rules apply in a folder, the deepest first; each file is read once."""
        unread: list[str] = []
        while folder not in self.rules and (not unread or unread[-1]):
            unread.append(folder)
            folder = folder.rpartition("/")[0]
        found = self.rules.get(folder, ())
        for one in reversed(unread):
            own = [*parse_patterns(self.read(one))][::-1]
            found = self.rules[one] = ((one, own), *found) if own else found
        return found


def parent_folders(path: str) -> Iterator[str]:
    """Yield the folders that contain a path, the root (an empty name) first."""
    yield ""
    yield from (path[:n] for n, letter in enumerate(path) if letter == "/")
