"""Read the selected part of the log, without secrets."""

from collections.abc import Callable, Iterator
from dataclasses import field

from openkoi_hookspecs import Record
from openkoi_hookspecs.lazy_dataclass import dataclass

from .import_marker import SegmentImported
from .lines import SegmentError, SegmentLine, read_lines, redact_line
from .segments import Log, Segment


@dataclass(frozen=True, slots=True)
class ExportSource:
    """The log, the selected runs (None for all), the redactor, and the errors found."""

    log: Log
    runs: frozenset[str] | None
    redact: Callable[[str], str]
    errors: list[SegmentError] = field(default_factory=list)

    def lines(self, segment: Segment) -> Iterator[SegmentLine]:
        """Yield the selected lines of a segment."""
        for line in read_lines(segment, self.errors.append):
            if (self.runs is None or line.run in self.runs) and not line.is_kind(SegmentImported):
                yield redact_line(line, self.redact)

    def records(self) -> Iterator[Record]:
        """Yield all selected records."""
        for segment in self.log.segments():
            yield from (line.record for line in self.lines(segment))
