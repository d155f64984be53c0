"""All segments together, as they are at one time: which of their documents are current, and what is known of a run."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from openkoi_hookspecs.lazy_dataclass import dataclass

from .checksums import Cached
from .segment import EntryKind, Segment, Shelf, StoredDocument, encode_name


@dataclass(frozen=True, slots=True)
class SegmentIndex(Cached):
    """Segments, the oldest first. A document of a later one replaces that of its number in earlier ones."""

    segments: Sequence[Segment] = ()

    @cached_property
    def dead(self) -> Sequence[frozenset[int]]:
        """The rows of each segment that are outdated."""
        return [
            frozenset(
                segment.rows[number]
                for later in self.segments[place + 1 :]
                for number in later.gone
                if number in segment.rows
            )
            for place, segment in enumerate(self.segments)
        ]

    @property
    def living(self) -> Iterator[tuple[Segment, frozenset[int]]]:
        """The segments, each with its outdated rows."""
        return zip(self.segments, self.dead, strict=True)

    @property
    def born(self) -> str:
        """What tells this index from one that was built again; empty if there is none."""
        return str(self.segments[0].file.header["born"]) if self.segments else ""

    @cached_property
    def shelves(self) -> Mapping[str, Shelf]:
        """The scopes, and the size of each."""
        found: dict[str, Shelf] = {}
        for segment, dead in self.living:
            for name, shelf in segment.shelves.items():
                gone = [row for row in dead if segment.shelf_names[segment.shelf_places[row]] == name]
                known, words = found.get(name, Shelf(0, 0)), sum(segment.lengths[row] for row in gone)
                found[name] = Shelf(known.documents + shelf.documents - len(gone), known.words + shelf.words - words)
        return found

    @property
    def size(self) -> int:
        """The number of documents."""
        return sum(shelf.documents for shelf in self.shelves.values())

    @cached_property
    def offsets(self) -> Mapping[str, int]:
        """How far each log file was read."""
        found: dict[str, int] = {}
        for segment in self.segments:
            found |= segment.offsets
        return found

    def find(self, number: int) -> tuple[int, int] | None:
        """Return the place of the segment that has a current document, and its row there."""
        for place in range(len(self.segments) - 1, -1, -1):
            row = self.segments[place].rows.get(number)
            if row is not None and row not in self.dead[place]:
                return place, row
        return None

    def document(self, number: int) -> StoredDocument | None:
        """Return a current document."""
        found = self.find(number)
        return self.segments[found[0]].document(found[1]) if found else None

    def facts(self, run: str) -> bytes:
        """Return what is known of a run."""
        key = EntryKind.FACTS.value + encode_name(run)
        return b"".join(segment.file.get(key) or b"" for segment in self.segments)

    def saves(self, learning: str) -> bytes:
        """Return what is known of a learning."""
        key = EntryKind.LEARNING.value + encode_name(learning)
        return next((found for segment in reversed(self.segments) if (found := segment.file.get(key))), b"")
