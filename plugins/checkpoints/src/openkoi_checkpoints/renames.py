"""Find the file that another one was renamed to, as git does: the same content, or more than half of it."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from .errors import CheckpointStoreError
from .manifest import PathEntry, PathKind, is_unchanged
from .merge import MIN_RENAME_SIMILARITY, similarity
from .rename_assignment import Assignment, Candidate, assign_renames

# Reading many files to compare them is slow; git gives up at 1,000.
MAX_RENAME_CANDIDATES = 200
# Files of the same content are the surest renames.
SAME_CONTENT = 2.0

Read = Callable[[PathEntry], bytes]
Entries = Mapping[str, PathEntry]


@dataclass(frozen=True)
class Renames:
    """Find renames by others since the work, and those of the work itself; ``kept`` and ``present`` read files."""

    base: Entries
    wanted: Entries
    now: Entries
    kept: Read
    present: Read

    def since(self, entry: PathEntry) -> PathEntry | None:
        """Return the present file that a file of the base was renamed to; None if there is none, or it is unclear."""
        return self.now.get(self.by_others.new.get(entry.path, ""))

    def is_unclear(self, entry: PathEntry) -> bool:
        """Return whether several present files may be this file of the base, and nothing decides which."""
        return entry.path in self.by_others.unclear

    def before(self, entry: PathEntry) -> PathEntry | None:
        """Return the wanted file that the work renamed to this file of the base; None if there is none."""
        return self.wanted.get(self.by_work.new.get(entry.path, ""))

    def origin(self, want: PathEntry, here: PathEntry) -> PathEntry | None:
        """Return the file of the base that was renamed to both the wanted and the present file, or None."""
        found = next((self.base[old] for old, new in self.by_work.new.items() if new == want.path), None)
        alike = found and is_no_file(found.path, self.now) and any(self.candidates([found], [here], self.present))
        return found if alike else None

    @cached_property
    def by_others(self) -> Assignment:
        """The renames since the work; a name that is wanted for another file is not new."""
        gone = missing_files(self.base, self.now)
        new = [one for one in missing_files(self.now, self.base) if is_no_file(one.path, self.wanted)]
        return assign_renames([*self.candidates(gone, new, self.present)], lambda some: are_alike(some, self.wanted))

    @cached_property
    def by_work(self) -> Assignment:
        """The renames of the work, backwards."""
        new, gone = missing_files(self.base, self.wanted), missing_files(self.wanted, self.base)
        return assign_renames([*self.candidates(new, gone, self.kept)], lambda some: are_alike(some, self.now))

    def candidates(self, some: list[PathEntry], others: list[PathEntry], read: Read) -> Iterator[Candidate]:
        """Yield the files of the base with their rename candidates; only files without an equal are compared by lines.

        A file that the work did not change is compared only with files of its own name, for speed.
        """
        same = [*equal_files(some, others)]
        yield from same
        paired = {path for _, *both in same for path in both}
        rest = [one for one in others if one.path not in paired]
        for entry in (one for one in some if one.path not in paired):
            kept = is_unchanged(entry, self.wanted.get(entry.path))
            near = [one for one in rest if has_near_size(entry, one) and not (kept and one.name != entry.name)]
            for other in near[:MAX_RENAME_CANDIDATES]:
                if (score := self.rate_similarity(entry, other, read)) >= MIN_RENAME_SIMILARITY:
                    yield score, entry.path, other.path

    def rate_similarity(self, entry: PathEntry, other: PathEntry, read: Read) -> float:
        """Return how similar two files are; 0 if one cannot be read."""
        with suppress(OSError, CheckpointStoreError):
            return similarity(self.kept(entry), read(other))
        return 0.0


def equal_files(some: Iterable[PathEntry], others: Iterable[PathEntry]) -> Iterator[Candidate]:
    """Yield pairs of files with the same content; if there are very many, only those in folders of the same name."""
    olds, news = group_by_digest(some), group_by_digest(others)
    for digest in olds.keys() & news.keys():
        many = len(olds[digest]) * len(news[digest]) > MAX_RENAME_CANDIDATES**2
        for old in olds[digest]:
            for new in news[digest]:
                if not many or old.path.split("/")[-2:] == new.path.split("/")[-2:]:
                    yield SAME_CONTENT, old.path, new.path


def group_by_digest(some: Iterable[PathEntry]) -> dict[str, list[PathEntry]]:
    """Return the files of each content."""
    found: dict[str, list[PathEntry]] = {}
    for entry in some:
        found.setdefault(entry.digest, []).append(entry)
    return found


def missing_files(entries: Entries, others: Entries) -> list[PathEntry]:
    """Return the files that are missing in other entries, except empty ones, which cannot be identified."""
    files = (one for one in entries.values() if one.kind is PathKind.FILE and one.size)
    return [one for one in files if is_no_file(one.path, others)]


def are_alike(paths: Collection[str], entries: Entries) -> bool:
    """Return whether all paths have the same content, or there are none."""
    first, *rest = (entries.get(path) for path in paths)
    return all(is_unchanged(first, one) for one in rest)


def has_near_size(entry: PathEntry, other: PathEntry) -> bool:
    """Return whether two files may be similar, by their sizes."""
    return entry.size * MIN_RENAME_SIMILARITY <= other.size <= entry.size / MIN_RENAME_SIMILARITY


def is_no_file(path: str, entries: Mapping[str, PathEntry]) -> bool:
    """Return whether a path is missing or a folder."""
    entry = entries.get(path)
    return entry is None or entry.kind is PathKind.FOLDER
