"""Find the file that another one was renamed to, as git does: the same content, or more than half of it."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from .errors import StoreError
from .manifest import PathEntry, PathKind
from .merge import MIN_RENAME_SIMILARITY, similarity

# Reading many files to compare them is slow; git gives up at 1,000.
MAX_RENAME_CANDIDATES = 200

Read = Callable[[PathEntry], bytes]


@dataclass(frozen=True, slots=True)
class Renames:
    """Find renames by others since the work, and those of the work itself; ``kept`` and ``present`` read files."""

    base: Mapping[str, PathEntry]
    wanted: Mapping[str, PathEntry]
    now: Mapping[str, PathEntry]
    kept: Read
    present: Read

    def since(self, entry: PathEntry) -> PathEntry | None:
        """Return where a file of the base is now, under another name; None if nowhere."""
        new = [one for path, one in self.now.items() if is_no_file(path, self.base) and is_no_file(path, self.wanted)]
        return self.most_similar(entry, new, self.present)

    def before(self, entry: PathEntry) -> PathEntry | None:
        """Return the file of another name that the work made this file of the base from; None if there is none."""
        gone = [one for path, one in self.wanted.items() if is_no_file(path, self.base)]
        return self.most_similar(entry, gone, self.kept)

    def origin(self, want: PathEntry, here: PathEntry) -> PathEntry | None:
        """Return the file of the base that is wanted, and is now, under one other name; None if there is none."""
        gone = [one for path, one in self.base.items() if is_no_file(path, self.wanted) and is_no_file(path, self.now)]
        found = self.most_similar(want, gone, self.kept)
        return found if found and self.most_similar(found, [here], self.present) else None

    def most_similar(self, entry: PathEntry, some: list[PathEntry], read: Read) -> PathEntry | None:
        """Return the file that has most in common with one of the base; an empty file is like no other."""
        files = [one for one in some if one.kind is PathKind.FILE and one.size]
        equal = [one for one in files if one.digest == entry.digest]
        if equal or entry.kind is not PathKind.FILE or not entry.size:
            return min(equal, key=lambda one: one.name != entry.name, default=None)
        near = [
            one for one in files if entry.size * MIN_RENAME_SIMILARITY <= one.size <= entry.size / MIN_RENAME_SIMILARITY
        ]
        rated = [(self.rate_similarity(entry, one, read), one) for one in near[:MAX_RENAME_CANDIDATES]]
        score, best = max(rated, key=lambda each: (each[0], each[1].name == entry.name), default=(0.0, None))
        return best if score >= MIN_RENAME_SIMILARITY else None

    def rate_similarity(self, entry: PathEntry, other: PathEntry, read: Read) -> float:
        """Return how similar two files are; 0 if one cannot be read."""
        with suppress(OSError, StoreError):
            return similarity(self.kept(entry), read(other))
        return 0.0


def is_no_file(path: str, entries: Mapping[str, PathEntry]) -> bool:
    """Return whether a path is missing or a folder."""
    entry = entries.get(path)
    return entry is None or entry.kind is PathKind.FOLDER
