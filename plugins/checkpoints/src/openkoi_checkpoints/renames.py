"""Find the file that another one was renamed to, as git does: the same content, or more than half of it."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from .errors import StoreFault
from .manifest import Entry, Kind
from .merge import SIMILAR, similarity

# Reading many files to compare them is slow; git gives up at 1,000.
MOST = 200

Read = Callable[[Entry], bytes]


@dataclass(frozen=True, slots=True)
class Renames:
    """Renames since the work, by others, and those of the work itself. ``kept`` and ``present`` read files."""

    base: Mapping[str, Entry]
    wanted: Mapping[str, Entry]
    now: Mapping[str, Entry]
    kept: Read
    present: Read

    def since(self, entry: Entry) -> Entry | None:
        """Return where a file of the base is now, under another name; None if nowhere."""
        new = [one for path, one in self.now.items() if no_file(path, self.base) and no_file(path, self.wanted)]
        return self.most_similar(entry, new, self.present)

    def before(self, entry: Entry) -> Entry | None:
        """Return the file of another name that the work made this file of the base from; None if there is none."""
        gone = [one for path, one in self.wanted.items() if no_file(path, self.base)]
        return self.most_similar(entry, gone, self.kept)

    def origin(self, want: Entry, here: Entry) -> Entry | None:
        """Return the file of the base that is wanted, and is now, under one other name; None if there is none."""
        gone = [one for path, one in self.base.items() if no_file(path, self.wanted) and no_file(path, self.now)]
        found = self.most_similar(want, gone, self.kept)
        return found if found and self.most_similar(found, [here], self.present) else None

    def most_similar(self, entry: Entry, some: list[Entry], read: Read) -> Entry | None:
        """Return the file that has most in common with one of the base; an empty file is like no other."""
        files = [one for one in some if one.kind is Kind.FILE and one.size]
        equal = [one for one in files if one.digest == entry.digest]
        if equal or entry.kind is not Kind.FILE or not entry.size:
            return min(equal, key=lambda one: one.name != entry.name, default=None)
        near = [one for one in files if entry.size * SIMILAR <= one.size <= entry.size / SIMILAR]
        rated = [(self.rate(entry, one, read), one) for one in near[:MOST]]
        score, best = max(rated, key=lambda each: (each[0], each[1].name == entry.name), default=(0.0, None))
        return best if score >= SIMILAR else None

    def rate(self, entry: Entry, other: Entry, read: Read) -> float:
        """Return how similar two files are; not at all if one cannot be read."""
        with suppress(OSError, StoreFault):
            return similarity(self.kept(entry), read(other))
        return 0.0


def no_file(path: str, entries: Mapping[str, Entry]) -> bool:
    """Whether there is nothing at a path, or a folder."""
    entry = entries.get(path)
    return entry is None or entry.kind is Kind.FOLDER
