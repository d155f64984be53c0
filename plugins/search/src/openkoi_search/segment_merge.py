"""Merge consecutive segments into one, in steps: the rows of each are appended to those of the one before it.

Most of what a merge writes is copied as it is.
"""

import json
from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import field
from itertools import compress

from openkoi_hookspecs.lazy_dataclass import dataclass

from .segment import COUNT_BYTES, NO_ROW, SEPARATOR, EntryKind, Postings, Segment, decode_postings, vector_key
from .segment_file import STEP_ENTRIES, Value
from .segment_index import MERGED, SegmentIndex, name_segment, number_of
from .segment_writer import Listed, SegmentContent


@dataclass(slots=True)
class Merge:
    """A merge that is under way.

    ``name`` is the new segment's, ``names`` those of the segments that it replaces, ``parts`` the file's parts so far.
    """

    name: str
    names: list[str]
    steps: Iterator[Sequence[Value]]
    parts: list[Value] = field(default_factory=list)

    def work(self, steps: int) -> int:
        """Take up to ``steps`` steps; return how many are left if the merge completes earlier."""
        for left in range(steps, 0, -1):
            if (parts := next(self.steps, None)) is None:
                return left
            self.parts += parts
        return 0

    def find(self, segments: Sequence[Segment]) -> range | None:
        """Return the places of its segments; None unless all are still there."""
        names = [segment.name for segment in segments]
        first = names.index(self.names[0]) if self.names[0] in names else 0
        places = range(first, first + len(self.names))
        return places if names[places.start : places.stop] == self.names else None


def start_merge(index: SegmentIndex, first: int) -> Merge:
    """Prepare a merge of the segments of an index from a position on."""
    names = [segment.name for segment in index.segments[first:]]
    name = name_segment(number_of(names[-1]), MERGED)
    return Merge(name, names, merge_segments(index, first, name))


def merge_segments(index: SegmentIndex, first: int, name: str) -> Iterator[Sequence[Value]]:
    """Yield the parts of a file that merges the segments from a position on, without outdated rows.

    If no older segment is left, no outdated documents need to be recorded.
    """
    merged = index.segments[first:]
    gone = {number for segment in merged for number in segment.gone} if first else set[int]()
    content = SegmentContent(gone=sorted(gone))
    for segment, dead in zip(merged, index.dead[first:], strict=True):
        for _ in append_segment(content, segment, dead):
            yield ()
    yield from content.encode_in_steps(born=index.born, name=name, first=merged[0].file.header["first"])


def append_segment(content: SegmentContent, segment: Segment, dead: Collection[int]) -> Iterator[None]:
    """Append the live rows of a segment, and its other entries."""
    moved = move_rows(segment, dead, len(content.documents))
    alive = [new != NO_ROW for new in moved]
    scopes = [content.scopes.setdefault(name, len(content.scopes)) for name in segment.scope_names]
    kinds = [content.kinds.setdefault(name, len(content.kinds)) for name in segment.kind_names]
    beside = [*moved, NO_ROW]  # the last one is at NO_ROW
    columns = (
        segment.numbers,
        segment.lengths,
        map(scopes.__getitem__, segment.scope_places),
        map(kinds.__getitem__, segment.kind_places),
        map(beside.__getitem__, segment.after),
        map(beside.__getitem__, segment.before),
    )
    for column, values in zip(content.columns, columns, strict=True):
        column.extend(compress(values, alive))
    yield
    yield from append_documents(content, segment, list(compress(range(segment.size), alive)))
    yield from append_words(content, segment, moved, is_whole=not dead)
    yield from append_others(content, segment)


def append_documents(content: SegmentContent, segment: Segment, rows: Sequence[int]) -> Iterator[None]:
    """Append the documents and vectors of some rows."""
    file, first, first_vector = segment.file, segment.first_document, segment.first_vector
    for number, row in enumerate(rows, 1):
        content.documents.append(file.view(first + row))
        if first_vector >= 0:
            content.vectors.append(file.view(first_vector + row))
        else:
            content.vectors.append(file.get(vector_key(row)) or b"")
        if number % STEP_ENTRIES == 0:
            yield


def append_words(content: SegmentContent, segment: Segment, moved: Sequence[int], *, is_whole: bool) -> Iterator[None]:
    """Append a segment's postings, with their new rows."""
    for number, (key, value) in enumerate(segment.file.entries(EntryKind.WORD.value), 1):
        word, place = key[1 : -len(SEPARATOR) - COUNT_BYTES], int.from_bytes(key[-COUNT_BYTES:], "big")
        rows, counts = move_postings(decode_postings(value), moved, is_whole=is_whole)
        if rows:
            known = content.words.setdefault((word, segment.scope_names[place]), (rows, counts))
            if known[0] is not rows:
                known[0].extend(rows)
                known[1].extend(counts)
        if number % STEP_ENTRIES == 0:
            yield


def append_others(content: SegmentContent, segment: Segment) -> Iterator[None]:
    """Append entries that add up, such as facts of runs, and replace others, such as learnings and offsets."""
    others, file = content.others, segment.file
    for kind in (EntryKind.FACTS, EntryKind.MESSAGES, EntryKind.NEXT, EntryKind.LATEST, EntryKind.LEARNING):
        adds_up = kind not in (EntryKind.LATEST, EntryKind.LEARNING)
        for number, (key, place) in enumerate(file.places(kind.value), 1):
            value = file.view(place)
            others[key] = b"".join((others[key], value)) if adds_up and key in others else value
            if number % STEP_ENTRIES == 0:
                yield
    if segment.offsets:
        known = json.loads(bytes(others.get(EntryKind.OFFSETS.value, b"{}")))
        others[EntryKind.OFFSETS.value] = json.dumps({**known, **segment.offsets}).encode()


def move_rows(segment: Segment, dead: Collection[int], start: int) -> list[int]:
    """Map each row to its new number, counted from ``start``; dead rows to NO_ROW."""
    if not dead:
        return [*range(start, start + segment.size)]
    moved = []
    for row in range(segment.size):
        moved.append(NO_ROW if row in dead else start)
        start += row not in dead
    return moved


def move_postings(postings: Postings, moved: Sequence[int], *, is_whole: bool) -> Listed:
    """Return postings with the new row numbers, without dead rows; ``is_whole`` means that no row is dead."""
    rows, counts, *_ = postings
    if is_whole and not isinstance(rows, range):
        widened = array("H", list(counts)) if isinstance(counts, bytes) else counts
        return array("I", [moved[row] for row in rows]), widened
    kept = [(moved[row], count) for row, count in zip(rows, counts, strict=True) if count and moved[row] != NO_ROW]
    return array("I", [row for row, _ in kept]), array("H", [count for _, count in kept])
