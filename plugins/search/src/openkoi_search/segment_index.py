"""All segments at one point in time, their current documents, and the known facts of runs.

Segments are numbered. A merged one has the number of the last that it replaces, and records the first.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from openkoi_hookspecs.lazy_dataclass import dataclass

from .checksums import Cached, CorruptFileError
from .segment import EntryKind, ScopeSize, Segment, StoredDocument, encode_name
from .segment_file import unpack

if TYPE_CHECKING:
    from .word_scores import Columns

ENDING, ADDED, MERGED = ".segment", "added", "merged"  # in this order, a merged segment follows those that it replaces
NUMBER_DIGITS = 12


@dataclass(frozen=True, slots=True)
class SegmentIndex(Cached):
    """Segments, the oldest first. A document of a later one replaces that of its number in earlier ones."""

    segments: Sequence[Segment] = ()

    @cached_property
    def dead(self) -> Sequence[frozenset[int]]:
        """The rows of each segment that are outdated."""
        gone: set[int] = set()
        found = []
        for segment in reversed(self.segments):
            found.append(frozenset(segment.find_rows(gone).values()))
            gone.update(segment.gone)
        return found[::-1]

    def with_next(self, segment: Segment) -> "SegmentIndex":
        """Return the index with another segment; outdated rows of the older segments are not searched for again."""
        found = SegmentIndex([*self.segments, segment])
        outdated = (
            dead.union(one.find_rows(segment.gone).values()) if segment.gone else dead for one, dead in self.living
        )
        vars(found)["dead"] = [*outdated, frozenset[int]()]
        return found

    def with_merged(self, places: range, segment: Segment) -> "SegmentIndex":
        """Return the index with a merged segment instead of those that it replaces; no other rows become outdated."""
        start, end = places.start, places.stop
        gone = {number for later in self.segments[end:] for number in later.gone}
        found = SegmentIndex([*self.segments[:start], segment, *self.segments[end:]])
        dead = frozenset(segment.find_rows(gone).values())
        vars(found)["dead"] = [*self.dead[:start], dead, *self.dead[end:]]
        return found

    @property
    def living(self) -> Iterator[tuple[Segment, frozenset[int]]]:
        """The segments, each with its outdated rows."""
        return zip(self.segments, self.dead, strict=True)

    @property
    def born(self) -> str:
        """An id that changes when the index is rebuilt; empty if there is no index."""
        return str(self.segments[0].file.header["born"]) if self.segments else ""

    @cached_property
    def scopes(self) -> Mapping[str, ScopeSize]:
        """The scopes, and the size of each."""
        found: dict[str, ScopeSize] = {}
        for segment, dead in self.living:
            for name, size in segment.scopes.items():
                gone = [row for row in dead if segment.scope_names[segment.scope_places[row]] == name]
                known, words = found.get(name, ScopeSize(0, 0)), sum(segment.lengths[row] for row in gone)
                left, rest = size.documents - len(gone), size.words - words
                found[name] = ScopeSize(known.documents + left, known.words + rest)
        return found

    @property
    def size(self) -> int:
        """The number of documents."""
        return sum(size.documents for size in self.scopes.values())

    @cached_property
    def offsets(self) -> Mapping[str, int]:
        """How far each log file was read."""
        found: dict[str, int] = {}
        for segment in self.segments:
            found |= segment.offsets
        return found

    @cached_property
    def rows(self) -> int:
        """The number of rows of all segments."""
        return sum(segment.size for segment in self.segments)

    @cached_property
    def starts(self) -> Sequence[int]:
        """The first row of each segment, counted over all segments."""
        return list(accumulate((segment.size for segment in self.segments[:-1]), initial=0))

    @cached_property
    def columns(self) -> "Columns":
        """The columns of all segments that a score depends on. Requires at least one document."""
        numbers = memoryview(b"".join(segment.numbers for segment in self.segments)).cast("q")
        lengths = memoryview(b"".join(segment.lengths for segment in self.segments)).cast("I")
        spans = [segment.span for segment in self.segments if segment.size]
        span = range(min(one.start for one in spans), max(one.stop for one in spans))
        return numbers, lengths, b"".join(segment.short_lengths for segment in self.segments), span

    def find(self, numbers: Collection[int]) -> Mapping[int, tuple[int, int]]:
        """Return the places of the segments that have current documents, and their rows there."""
        found: dict[int, tuple[int, int]] = {}
        for place, (segment, dead) in enumerate(self.living):
            rows = segment.find_rows(numbers).items()
            found.update((number, (place, row)) for number, row in rows if row not in dead)
        return found

    def documents(self, numbers: Collection[int]) -> Mapping[int, StoredDocument]:
        """Return the documents, among these, that are current."""
        return {number: self.segments[place].document(row) for number, (place, row) in self.find(numbers).items()}

    @cached_property
    def next_pieces(self) -> Mapping[int, int]:
        """For each piece that ended a transcript, the piece that was added after it, by document number."""
        pairs = unpack("q", b"".join(segment.file.get(EntryKind.NEXT.value) or b"" for segment in self.segments))
        return dict(zip(pairs[::2], pairs[1::2], strict=True))

    @cached_property
    def previous_pieces(self) -> Mapping[int, int]:
        """For each of these later pieces, the one before it."""
        return {following: number for number, following in self.next_pieces.items()}

    def read_all(self, kind: EntryKind, name: str) -> bytes:
        """Return the entries of a run or learning in all segments, joined."""
        key = kind.value + encode_name(name)
        return b"".join(segment.file.get(key) or b"" for segment in self.segments)

    def read_newest(self, kind: EntryKind, name: str) -> bytes:
        """Return the entry of a run or learning in the newest segment that has one."""
        key = kind.value + encode_name(name)
        return next((found for segment in reversed(self.segments) if (found := segment.file.get(key))), b"")


def name_segment(number: int, kind: str = ADDED) -> str:
    """Return the name of a new segment with a number."""
    from secrets import token_hex

    return f"{number:0{NUMBER_DIGITS}}-{kind}-{token_hex(4)}{ENDING}"


def number_of(name: str) -> int:
    """Return the number of a segment; raise CorruptFileError if it has none."""
    digits, dash, _ = name.partition("-")
    if not (dash and digits.isdecimal() and len(digits) == NUMBER_DIGITS):
        raise CorruptFileError(f"{name} is not the name of a segment")
    return int(digits)


def are_complete(segments: Sequence[Segment]) -> bool:
    """Return whether all segments belong to one index, start with its first one, and have no gap."""
    headers = [segment.file.header for segment in segments]
    following = [1, *(number_of(segment.name) + 1 for segment in segments)]
    return following[:-1] == [header["first"] for header in headers] and len({header["born"] for header in headers}) < 2
