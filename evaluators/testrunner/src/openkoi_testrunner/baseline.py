"""Remember by run what was there before the work, and what was green then or since. Knows names and colours only."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace

from .outcome import Outcome
from .project import Kind

RUNS_KEPT = 64


@dataclass(frozen=True, slots=True)
class Before:
    """How each test stood when the work began, in their order then, and which have passed ``since``.

    With ``all_count`` even those that were red then are held against the work. ``silent`` are those that are told only
    when they fail; ``kind`` is how the tests were run.
    """

    passed: Mapping[str, bool] = field(default_factory=dict)
    _: KW_ONLY
    since: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    kind: Kind | None = None
    all_count: bool = False

    def requires(self, name: str) -> bool:
        """Whether the work needs this test to pass: it is new, was green then or since, or red tests are the task."""
        return self.all_count or name in self.since or self.passed.get(name, True)

    @property
    def there(self) -> tuple[str, ...]:
        """The tests that have to be there still."""
        return tuple(name for name in self.passed if name not in self.silent)

    @property
    def added(self) -> tuple[str, ...]:
        """The tests that came with the work, and passed."""
        return tuple(sorted(self.since - self.passed.keys()))


@dataclass(frozen=True, slots=True)
class Ledger:
    """What is known of each run; of many runs the longest untouched are forgotten."""

    runs: dict[str, Before] = field(default_factory=dict)

    def of(self, run: str) -> Before:
        """How the run's tests stood at its baseline, and what was green since."""
        return self.runs.get(run, Before())

    def begin(self, run: str, outcome: Outcome | None, kind: Kind | None = None) -> None:
        """Note the baseline, red and green."""
        tests = outcome.tests if outcome else ()
        silent = frozenset(test.name for test in tests if test.silent)
        self._keep(run, Before({test.name: test.passed for test in tests}, silent=silent, kind=kind))

    def advance(self, run: str, outcome: Outcome) -> None:
        """Note what is green now: it has to stay so."""
        known = self.of(run)
        self._keep(run, replace(known, since=known.since | outcome.green))

    def _keep(self, run: str, known: Before) -> None:
        self.runs.pop(run, None)
        self.runs[run] = known
        while len(self.runs) > RUNS_KEPT:
            del self.runs[next(iter(self.runs))]
