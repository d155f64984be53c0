"""Cache judgments: the last full one of each run, and verdicts by content.

The cache key of a verdict is a digest of the whole request. The cache belongs to one process; what is missing is judged
in full.
"""

from dataclasses import field, replace
from typing import TYPE_CHECKING, TypeVar

from openkoi_hookspecs.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from .changes_since import WorkState
    from .verdict import JudgeVerdict

RUNS, VERDICTS = 64, 256
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CachedJudgment:
    """A full verdict, the state of the work, and the standard that it was judged by.

    ``carried`` are the keys of the dimensions whose scores were reused for a later state, which is allowed once; the
    verdict is then that of the later state.
    """

    verdict: "JudgeVerdict"
    state: "WorkState"
    standard_digest: str
    carried: frozenset[str] = frozenset()


@dataclass(slots=True)
class JudgmentCache:
    """Judgments by run, verdicts by content, and texts found to have no influence."""

    runs: dict[str, CachedJudgment] = field(default_factory=dict)
    verdicts: dict[str, "JudgeVerdict"] = field(default_factory=dict)
    harmless: dict[str, bool] = field(default_factory=dict)

    def keep_run(self, run: str, judgement: CachedJudgment) -> None:
        """Keep a run's last full judgment."""
        put_limited(self.runs, run, judgement, RUNS)

    def carry_over(self, run: str, verdict: "JudgeVerdict", keys: frozenset[str]) -> None:
        """Record the verdict on a later state, and the scores that were carried over."""
        self.runs[run] = replace(self.runs[run], verdict=verdict, carried=keys)

    def keep_verdict(self, key: str, verdict: "JudgeVerdict") -> None:
        """Keep a verdict for equal work."""
        put_limited(self.verdicts, key, verdict, VERDICTS)

    def clear(self, key: str) -> None:
        """Record that a text has no influence."""
        put_limited(self.harmless, key, True, VERDICTS)


def put_limited(kept: dict[str, T], key: str, value: T, most: int) -> None:
    """Add an entry; remove the oldest when there are too many."""
    kept.pop(key, None)
    kept[key] = value
    while len(kept) > most:
        kept.pop(next(iter(kept)))
