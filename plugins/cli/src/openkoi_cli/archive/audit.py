"""Check the log: checksums, record numbers, ids and blobs.

The records of a process are numbered from 1, so that a removed one is noticed. An imported segment contains only new
records, and a number may also be missing because the disk was full.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from itertools import groupby

from openkoi_hookspecs import Blob, KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_runlog.segment_names import segment_name

from .import_marker import SegmentImported
from .lines import SegmentError, SegmentLine, read_lines
from .segments import Log, Segment

NUMBERED = lazy_pattern(r"([0-9a-f]{12})([0-9a-f]{8})")


@dataclass(slots=True)
class LogAudit:
    """The result of an audit: counts and errors."""

    segments: int = 0
    archived: int = 0
    records: int = 0
    errors: list[SegmentError] = field(default_factory=list)
    seen: dict[str, str] = field(default_factory=dict)

    def check_segment(self, segment: Segment) -> None:
        """Check a segment."""
        self.segments, self.archived = self.segments + 1, self.archived + segment.is_archived
        before: SegmentLine | None = None
        brought_in = False
        for line in read_lines(segment, self.errors.append):
            self.records += 1
            brought_in = brought_in or line.is_kind(SegmentImported)
            self.check_id(line)
            self.check_blobs_of(line)
            if before and not brought_in and (missing := describe_gap(before, line)):
                self.errors.append(SegmentError(line.segment, line.number, missing))
            before = line

    def check_id(self, line: SegmentLine) -> None:
        """Report an id that occurred before."""
        where = f"{line.segment}, line {line.number}"
        if line.id in self.seen:
            text = f"duplicate record {line.id}, also in {self.seen[line.id]}"
            self.errors.append(SegmentError(line.segment, line.number, text))
        self.seen.setdefault(line.id, where)

    def check_blobs_of(self, line: SegmentLine) -> None:
        """Report blobs of a line that are missing or damaged."""
        for digest, path in line.files.items():
            try:
                Blob(digest, 0, path).read()
            except KoiError as error:
                self.errors.append(SegmentError(line.segment, line.number, str(error)))


def audit_log(log: Log) -> LogAudit:
    """Check the whole log."""
    seen = LogAudit()
    segments = log.segments()
    seen.errors += find_missing_parts(segments)
    for segment in segments:
        seen.check_segment(segment)
    return seen


def describe_gap(before: SegmentLine, line: SegmentLine) -> str:
    """Return how many records are missing between two lines; damaged lines are reported elsewhere."""
    one, other = NUMBERED.fullmatch(before.id), NUMBERED.fullmatch(line.id)
    if not one or not other or one[1] != other[1] or line.number != before.number + 1:
        return ""
    gap = int(other[2], 16) - int(one[2], 16) - 1
    return f"{gap} {'record is' if gap == 1 else 'records are'} missing before this line" if gap > 0 else ""


def find_missing_parts(segments: Sequence[Segment]) -> Iterator[SegmentError]:
    """Yield an error for each missing segment of a session with later ones."""
    for session, parts in groupby(segments, key=lambda segment: segment.session):
        numbers = {segment.part for segment in parts}
        for number in find_gaps(numbers):
            name = segment_name(session, number)
            yield SegmentError(name, 0, "it is missing, although a later part of its session exists")


def find_gaps(numbers: Iterable[int]) -> list[int]:
    """Return the missing numbers from 1 to the largest."""
    known = set(numbers)
    return [number for number in range(1, max(known)) if number not in known]
