"""Read from the run log how well skills did by category; a cache ensures that each line is read once.

The best score of a run counts; runs without a score do not. The cache can be deleted at any time.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Self

from openkoi_base.files import lock_beside, private_folder, read_small_text, replace_file
from openkoi_hookspecs.events import UsageRecorded
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import read_new
from openkoi_runlog.read_segments import MeasuredSegment, choose_grown, measure_segments

from .skill_ranking import SkillEffect


@dataclass(slots=True)
class Tally:
    """Sums and counts by skill and category, and the position up to which each log segment was read."""

    ends: dict[str, int] = field(default_factory=dict)
    sums: dict[str, dict[str, tuple[float, int]]] = field(default_factory=dict)

    def add(self, event: UsageRecorded) -> None:
        """Count one run."""
        if event.score is None:
            return
        for skill in event.skills:
            total, count = self.sums.setdefault(skill, {}).get(event.category, (0.0, 0))
            self.sums[skill][event.category] = (total + event.score, count + 1)

    def effects(self, category: str) -> Mapping[str, SkillEffect]:
        """Return how each skill did on tasks of a category."""
        known = {skill: sums[category] for skill, sums in self.sums.items() if category in sums}
        return {skill: SkillEffect(total / count, count) for skill, (total, count) in known.items()}

    def sum_scores(self) -> Mapping[str, float]:
        """Return the sum of each skill's scores on all tasks: more for one that was used more, and did better."""
        return {skill: sum(total for total, _ in sums.values()) for skill, sums in self.sums.items()}

    @classmethod
    def load(cls, file: Path) -> Self:
        """Load from the cache; return an empty tally if it cannot be read."""
        with suppress(OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            known = json.loads(read_small_text(file))
            ends = {str(name): int(end) for name, end in known["ends"].items()}
            sums = {
                str(skill): {str(name): (float(total), int(count)) for name, (total, count) in rows.items() if count}
                for skill, rows in known["sums"].items()
            }
            return cls(ends, sums)
        return cls()


def read_tally(data: Path) -> Tally:
    """Return the tally of everything in the log so far."""
    file = private_folder(data / "cache") / "skills.json"
    with lock_beside(file):
        tally = Tally.load(file)
        segments = {name: (name, path, size) for name, path, size in reversed([*measure_segments(data / "sessions")])}
        if any(is_missing(name, end, segments) for name, end in tally.ends.items()):
            tally = Tally()
        new = choose_grown(segments.values(), tally.ends)
        for path in new:
            for record in read_new(path, (UsageRecorded,), tally.ends):
                if isinstance(record.event, UsageRecorded):
                    tally.add(record.event)
        if new:
            replace_file(file, json.dumps({"ends": tally.ends, "sums": tally.sums}))
    return tally


def is_missing(name: str, end: int, segments: Mapping[str, MeasuredSegment]) -> bool:
    """Return whether a segment is gone, or shorter than what was read; compressed ones never change."""
    _, path, size = segments.get(name, (name, name, 0))
    return path.endswith(name) and size < end
