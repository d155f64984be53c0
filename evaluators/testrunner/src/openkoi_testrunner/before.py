"""Remember by run what was green before the work, or since. Knows names and colours only."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field

from .outcome import Outcome

RUNS_KEPT = 64


@dataclass(frozen=True, slots=True)
class Before:
    """How each test stood before. With ``all_count`` even those that were red then are held against the work."""

    passed: Mapping[str, bool] = field(default_factory=dict)
    _: KW_ONLY
    all_count: bool = False

    def requires(self, name: str) -> bool:
        """Whether the work needs this test to pass: it is new, was green, or red tests are the task."""
        return self.all_count or self.passed.get(name, True)

    @property
    def green(self) -> frozenset[str]:
        """The tests that have passed at least once."""
        return frozenset(name for name, passed in self.passed.items() if passed)


@dataclass(frozen=True, slots=True)
class Ledger:
    """What is known of each run; of many runs the longest untouched are forgotten."""

    runs: dict[str, dict[str, bool]] = field(default_factory=dict)

    def of(self, run: str) -> Mapping[str, bool]:
        """How the run's tests stood at its baseline, or better since."""
        return dict(self.runs.get(run, {}))

    def begin(self, run: str, outcome: Outcome | None) -> None:
        """Note the baseline, red and green."""
        self.runs.pop(run, None)
        self._touch(run).update({test.name: test.passed for test in outcome.tests} if outcome else {})

    def advance(self, run: str, outcome: Outcome) -> None:
        """Note what is green now: it has to stay so."""
        self._touch(run).update({test.name: True for test in outcome.tests if test.passed})

    def _touch(self, run: str) -> dict[str, bool]:
        known = self.runs[run] = self.runs.pop(run, {})
        while len(self.runs) > RUNS_KEPT:
            del self.runs[next(iter(self.runs))]
        return known
