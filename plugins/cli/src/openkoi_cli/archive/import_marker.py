"""Define the event that marks an imported segment."""

import secrets
from datetime import UTC, datetime

from openkoi_hookspecs import Event, Record
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import add_checksum, write_line


@dataclass(frozen=True, slots=True)
class SegmentImported(Event):
    """First record of an imported segment, whose other records are from another machine."""

    name = "archive.imported"
    records: int
    exported: str = ""


def to_line(event: SegmentImported) -> bytes:
    """Return the event as a line of a segment."""
    now = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return add_checksum(write_line(Record(f"{secrets.token_hex(6)}{1:08x}", now, "", event)))
