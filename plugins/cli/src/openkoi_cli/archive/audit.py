"""Whether the log is whole: every checksum, the numbers of the records, their ids, and the files. Changes nothing.

The records of a process are numbered from one on, so that one which was taken out is missed. A segment that was brought
in holds only what was new, and a number may also be missing because the disk was full when it was its turn.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from openkoi_hookspecs import Blob, KoiError
from openkoi_runlog.segment_names import segment_name

from .lines import SegmentError, SegmentLine, lines_of
from .marks import Imported
from .segments import Log, Segment

NUMBERED = re.compile(r"([0-9a-f]{12})([0-9a-f]{8})")


@dataclass(slots=True)
class Audit:
    """What was looked at, and what is wrong with it."""

    segments: int = 0
    archived: int = 0
    records: int = 0
    faults: list[SegmentError] = field(default_factory=list)
    seen: dict[str, str] = field(default_factory=dict)

    def read(self, segment: Segment) -> None:
        """Look at a segment."""
        self.segments, self.archived = self.segments + 1, self.archived + segment.archived
        before: SegmentLine | None = None
        brought_in = False
        for line in lines_of(segment, self.faults.append):
            self.records += 1
            brought_in = brought_in or line.is_kind(Imported)
            self.see(line)
            self.see_files(line)
            if before and not brought_in and (missing := missing_between(before, line)):
                self.faults.append(SegmentError(line.segment, line.number, missing))
            before = line

    def see(self, line: SegmentLine) -> None:
        """Look whether the id was there before."""
        where = f"{line.segment}, line {line.number}"
        if line.id in self.seen:
            text = f"the record {line.id} is there twice: it is in {self.seen[line.id]} too"
            self.faults.append(SegmentError(line.segment, line.number, text))
        self.seen.setdefault(line.id, where)

    def see_files(self, line: SegmentLine) -> None:
        """Look whether the bytes that a line refers to are there as they were."""
        for digest, path in line.files.items():
            try:
                Blob(digest, 0, path).read()
            except KoiError as error:
                self.faults.append(SegmentError(line.segment, line.number, str(error)))


def audit(log: Log) -> Audit:
    """Look at all of the log."""
    seen = Audit()
    segments = log.segments()
    seen.faults += lost(segments)
    for segment in segments:
        seen.read(segment)
    return seen


def missing_between(before: SegmentLine, line: SegmentLine) -> str:
    """Say which records there should be between two lines; a damaged line between them was reported already."""
    one, other = NUMBERED.fullmatch(before.id), NUMBERED.fullmatch(line.id)
    if not one or not other or one[1] != other[1] or line.number != before.number + 1:
        return ""
    gap = int(other[2], 16) - int(one[2], 16) - 1
    return f"{gap} {'record is' if gap == 1 else 'records are'} missing before it" if gap > 0 else ""


def lost(segments: Sequence[Segment]) -> Iterator[SegmentError]:
    """Parts of a session that are not there, although a later one is."""
    for session, parts in groupby(segments, key=lambda segment: segment.session):
        numbers = {segment.part for segment in parts}
        for number in gaps(numbers):
            name = segment_name(session, number)
            yield SegmentError(name, 0, "it is missing: a later part of its session is there")


def gaps(numbers: Iterable[int]) -> list[int]:
    """What is missing from one to the largest."""
    there = set(numbers)
    return [number for number in range(1, max(there)) if number not in there]
