"""Count a session's tasks and cost, and save both with the log's offsets, so that the log is read only once."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, field
from pathlib import Path

from openkoi_base.files import replace_file
from openkoi_hookspecs import events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import list_all_segments, read_segment
from openkoi_runlog.segment_files import is_packed, original_name, uncompressed_length
from openkoi_runlog.select_records import name_needed

FILE = "totals.json"
MAX_SESSIONS = 100
PAID = (events.ModelResponse, events.ModelResponseBroken)
COUNTED = name_needed((events.TaskStarted, events.ModelRequest, *PAID))


@dataclass(frozen=True, slots=True)
class Totals:
    """The tasks that the user gave, and the cost of all model calls; ``seen`` is how much of each segment was read.

    ``unfinished`` is the cost of calls without a response, by lease: they are paid for as well.
    """

    tasks: int = 0
    paid: float = 0.0
    seen: Mapping[str, int] = field(default_factory=dict)
    unfinished: Mapping[str, float] = field(default_factory=dict)

    @property
    def usd(self) -> float:
        """The cost of all calls."""
        return self.paid + sum(self.unfinished.values())


def read_totals(sessions: Path, session: str, folder: Path) -> Totals:
    """Return the totals of a session; update those that are saved in a folder."""
    kept = load_totals(folder / FILE)
    before = kept.pop(session, Totals())
    totals = add_new_records(sessions, session, before)
    if totals != before:
        save_totals(folder / FILE, {**kept, session: totals})
    return totals


def add_new_records(sessions: Path, session: str, known: Totals) -> Totals:
    """Return the totals with all records written since."""
    tasks, paid, seen, unfinished = known.tasks, known.paid, dict(known.seen), dict(known.unfinished)
    for path in list_all_segments(sessions, session):
        start = seen.get(original_name(path), 0)
        if length_of(path) == start:
            continue
        for record in read_segment(path, start, needed=COUNTED):
            seen[original_name(path)] = record.end
            match record.event:
                case events.TaskStarted(task=task):
                    tasks += not task.parent
                case events.ModelRequest(lease=lease, reserved_usd=usd):
                    unfinished[lease] = usd  # 0 when the request came to nothing
                case events.ModelResponse(lease=lease, usd=usd) | events.ModelResponseBroken(lease=lease, usd=usd):
                    unfinished.pop(lease, None)
                    paid += usd
    return Totals(tasks, paid, seen, {lease: usd for lease, usd in unfinished.items() if usd})


def length_of(path: Path) -> int:
    """Return how long a segment is, unpacked."""
    return uncompressed_length(path) if is_packed(path) else path.stat().st_size


def load_totals(path: Path) -> dict[str, Totals]:
    """Return the saved totals; none if the file cannot be read."""
    with suppress(OSError, ValueError, TypeError, AttributeError):
        return {id: Totals(**found) for id, found in json.loads(path.read_text(encoding="utf-8")).items()}
    return {}


def save_totals(path: Path, totals: Mapping[str, Totals]) -> None:
    """Save the totals of the sessions that were opened last; ignore errors."""
    newest = [*totals.items()][-MAX_SESSIONS:]
    with suppress(OSError):
        replace_file(path, json.dumps({id: asdict(one) for id, one in newest}))
