"""Keep an index as segments in a folder: one writer at a time adds or merges; an old format is rebuilt.

A segment is written beside its place and renamed, so that it exists completely or not at all. A merged segment lists
those it replaces: a process killed before these are deleted leaves files that are ignored from then on.
"""

from _thread import LockType, allocate_lock  # what threading.Lock is, without its module
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_base.files.filelock import try_lock_file
from openkoi_base.files.private_files import private_folder, write_atomically
from openkoi_hookspecs.lazy_dataclass import dataclass

from .checksums import CorruptFileError, OtherFormatError
from .memory_file_errors import MemoryBusyError, MemoryUnusableError, damaged_path, warn_damaged
from .segment import Segment, open_segment
from .segment_file import MIN_MAPPED_BYTES, decode_segment, read_segment_file
from .segment_index import ENDING, SegmentIndex, are_complete, name_segment, number_of

if TYPE_CHECKING:
    from .lock_timeout import LockTimeout
    from .segment_merge import Merge
    from .segment_writer import SegmentContent

TEMPORARY = ".new-"
MAX_SEGMENTS = 12  # of small ones; more are merged, since each has to be opened and searched (estimate)
LARGE_BYTES = 2_000_000  # a larger one is left as it is: a merge takes time and memory (0.1 s and 15 MB at this size)
MERGE_FACTOR = 2  # a merge includes older segments that are at most this many times as large (estimate)
MERGE_STEPS = 8  # after each but a process's first segment, so that a merge holds up none: about 1.2 ms (estimate)
ALL_STEPS = 2**31  # after a process's first segment: it may be the only one, and no merge would ever be complete
MAX_ATTEMPTS = 5


@dataclass(slots=True)
class SegmentFolder:
    """A folder of segments, as this process last read it. ``listed`` are the names of all files in it.

    ``merges`` are under way, each behind the segments of the one before, and take the next ``steps`` with the next
    segment.
    """

    path: Path
    seconds: float
    index: SegmentIndex = field(default_factory=SegmentIndex)
    listed: list[str] = field(default_factory=list)
    merges: "list[Merge]" = field(default_factory=list)
    steps: int = ALL_STEPS
    guard: LockType = field(default_factory=allocate_lock)

    def read(self) -> SegmentIndex:
        """Return the current index; open only new segments.

        A damaged one is moved aside, and one of another version is deleted; it is empty then.
        """
        with self.guard:
            for _ in range(MAX_ATTEMPTS):
                try:
                    self.index = self.reopen()
                except FileNotFoundError:
                    continue  # it was merged since it was listed
                except OtherFormatError:
                    self.discard_other_version()
                    continue
                except (CorruptFileError, IsADirectoryError) as error:
                    self.set_aside(error)
                    continue
                except OSError as error:
                    raise MemoryUnusableError(self.path, error) from error
                return self.index
            raise MemoryUnusableError(self.path, "its files keep changing")

    def reopen(self) -> SegmentIndex:
        """Open the segments that are not open yet; raise CorruptFileError if one is damaged."""
        names = self.names()
        held = {segment.name: segment for segment in self.index.segments}
        if names == list(held):
            return self.index
        current: list[Segment] = []
        for name in reversed(names):
            if not current or number_of(name) < current[-1].file.header["first"]:
                current.append(held.get(name) or self.open(name))
        current.reverse()
        if not are_complete(current):
            if names != self.names():
                raise FileNotFoundError("some were merged while they were listed")
            raise CorruptFileError("a segment is missing, or one belongs to another index")
        return self.index if current == list(self.index.segments) else SegmentIndex(current)

    def open(self, name: str) -> Segment:
        """Open a segment; raise CorruptFileError if it is damaged, or not the expected one."""
        file = read_segment_file(self.path / name)
        if file.header.get("name") != name:
            raise CorruptFileError(f"{name} is another segment")
        return open_segment(name, file)

    def names(self) -> list[str]:
        """Return the names of the segments, the oldest first."""
        try:
            self.listed = sorted(path.name for path in self.path.iterdir())
        except (FileNotFoundError, NotADirectoryError):
            self.listed = []
        return [name for name in self.listed if name.endswith(ENDING)]

    @property
    def lock_path(self) -> Path:
        """The file that writers lock; it is outside the folder, because the folder may be moved."""
        return self.path.with_name(f"{self.path.name}.lock")

    @contextmanager
    def lock(self, timeout: "LockTimeout") -> Iterator[None]:
        """Lock out other writers; raise MemoryBusyError if that takes too long."""
        try:
            private_folder(self.path.parent)
            while True:
                with try_lock_file(self.lock_path) as mine:
                    if mine:
                        yield
                        return
                if not timeout.lasts():
                    raise MemoryBusyError(self.path, self.seconds)
        except OSError as error:
            raise MemoryUnusableError(self.path, error) from error

    def add(self, content: "SegmentContent", born: str) -> None:
        """Add a segment to the index just read, and merge some if there are too many. The caller has the lock."""
        segments = self.index.segments
        self.remove({*self.listed} - {segment.name for segment in segments})
        number = number_of(segments[-1].name) + 1 if segments else 1
        name = name_segment(number)
        self.index = self.index.with_next(self.write(name, content.encode(born=born, name=name, first=number)))
        self.plan_merge()
        steps, self.steps = self.steps, MERGE_STEPS
        while self.merges and steps:
            merge = self.merges.pop()  # one that finds a damaged segment is dropped
            if steps := merge.work(steps):
                self.finish(merge)
            else:
                self.merges.append(merge)

    def plan_merge(self) -> None:
        """Begin to merge if there are too many segments behind those that are being merged."""
        segments = self.index.segments
        self.merges = [merge for merge in self.merges if merge.find(segments) is not None]
        places = self.merges[-1].find(segments) if self.merges else None
        behind = places.stop if places else 0
        first = choose_merge([len(segment.file.data) for segment in segments[behind:]])
        if first is not None:
            from .segment_merge import start_merge

            self.merges.append(start_merge(self.index, behind + first))

    def finish(self, merge: "Merge") -> None:
        """Replace segments by the merged one, if all of them are still there."""
        if places := merge.find(self.index.segments):
            segment = self.write(merge.name, b"".join(merge.parts))
            self.index = self.index.with_merged(places, segment)
            self.remove(merge.names)

    def write(self, name: str, data: bytes) -> Segment:
        """Write a segment; only a small one stays in memory."""
        path = private_folder(self.path) / name
        write_atomically(path, data, temporary=TEMPORARY)
        small = len(data) < MIN_MAPPED_BYTES
        return open_segment(name, decode_segment(data) if small else read_segment_file(path))

    def remove(self, names: Iterable[str]) -> None:
        """Delete the files of merged segments or of a killed writer; ignore those that cannot be deleted."""
        for name in names:
            with suppress(OSError):
                (self.path / name).unlink()

    def discard_other_version(self) -> None:
        """Delete the files of another version, and log that. Files that another process has added since are kept."""
        import logging

        logging.getLogger("openkoi").warning(
            "The memory in %s was written by another version of OpenKoi. It is being rebuilt from the run log.",
            self.path,
        )
        self.remove(self.listed)

    def set_aside(self, cause: object) -> None:
        """Move a damaged index aside, and log that; raise MemoryUnusableError if it cannot be moved."""
        bad = damaged_path(self.path)
        try:
            self.move(bad)
        except FileNotFoundError:
            return  # another process has just moved it
        except OSError as error:
            raise MemoryUnusableError(self.path, error) from error
        warn_damaged(self.path, bad, cause)

    def move(self, to: Path) -> None:
        """Move the folder, replacing one that may be there."""
        from shutil import rmtree

        rmtree(to, ignore_errors=True)
        self.index = SegmentIndex()
        self.path.replace(to)

    def exists(self) -> bool:
        """Return whether anything was indexed."""
        return bool(self.names())

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(len(segment.file.data) for segment in self.index.segments)

    def discard(self) -> None:
        """Delete the folder."""
        from shutil import rmtree

        self.index = SegmentIndex()
        rmtree(self.path, ignore_errors=True)
        self.lock_path.unlink(missing_ok=True)


def choose_merge(sizes: Sequence[int]) -> int | None:
    """Return the first segment to merge; None while few small segments follow the last large one.

    At least two are merged, and older ones that are not much larger than the rest.
    """
    large = [place for place, size in enumerate(sizes) if size >= LARGE_BYTES]
    start, first = large[-1] + 1 if large else 0, len(sizes) - 1
    if len(sizes) - start <= MAX_SEGMENTS:
        return None
    total = sizes[first]
    while first > start and (first == len(sizes) - 1 or sizes[first - 1] <= MERGE_FACTOR * total):
        first -= 1
        total += sizes[first]
    return first
