"""What a judge keeps of its judgements: the last full one of each run, and verdicts by what they were about.

Nothing of it is needed: what is not there is judged in full. A process keeps its own, and of many the newest.
"""

from dataclasses import dataclass, field, replace
from typing import TypeVar

from .since import State
from .verdict import Verdict

RUNS, VERDICTS = 64, 256
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Judgement:
    """A full verdict, the state it is about, and what it was measured by.

    ``carried`` are the keys of the dimensions whose scores were used for a later state, which they may be once; the
    verdict is then what is held of that later state.
    """

    verdict: Verdict
    state: State
    yardstick: str
    carried: frozenset[str] = frozenset()


@dataclass(slots=True)
class Kept:
    """Judgements by run, verdicts by content, and words that were found to sway nobody."""

    runs: dict[str, Judgement] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    harmless: dict[str, bool] = field(default_factory=dict)

    def keep(self, run: str, judgement: Judgement) -> None:
        """Keep a run's last full judgement."""
        put(self.runs, run, judgement, RUNS)

    def carry(self, run: str, verdict: Verdict, keys: frozenset[str]) -> None:
        """Note what is held of a later state of a run, and which scores of it are from before."""
        self.runs[run] = replace(self.runs[run], verdict=verdict, carried=keys)

    def remember(self, key: str, verdict: Verdict) -> None:
        """Keep a verdict for work that is equal."""
        put(self.verdicts, key, verdict, VERDICTS)

    def clear(self, key: str) -> None:
        """Keep it that these words sway nobody."""
        put(self.harmless, key, True, VERDICTS)


def put(kept: dict[str, T], key: str, value: T, most: int) -> None:
    """Put something in; the oldest goes when there are too many."""
    kept.pop(key, None)
    kept[key] = value
    while len(kept) > most:
        kept.pop(next(iter(kept)))
