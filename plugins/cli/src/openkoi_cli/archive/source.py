"""What of the log is taken out: chosen tasks, without secrets. Knows lines and runs; knows no format."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from openkoi_hookspecs import Record

from .lines import SegmentError, SegmentLine, lines_of, redact_line
from .marks import Imported
from .segments import Log, Segment


@dataclass(frozen=True, slots=True)
class ExportSource:
    """The log, the runs that are meant (None: all), the funnel for secrets, and what was wrong on the way."""

    log: Log
    runs: frozenset[str] | None
    redact: Callable[[str], str]
    faults: list[SegmentError] = field(default_factory=list)

    def lines(self, segment: Segment) -> Iterator[SegmentLine]:
        """The lines of a segment that are meant."""
        for line in lines_of(segment, self.faults.append):
            if (self.runs is None or line.run in self.runs) and not line.is_kind(Imported):
                yield redact_line(line, self.redact)

    def records(self) -> Iterator[Record]:
        """All records that are meant."""
        for segment in self.log.segments():
            yield from (line.record for line in self.lines(segment))
