"""Remember by run what was there before the work, and what was green then or since. Knows names and colours only."""

from collections.abc import Collection, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace

from .outcome import Outcome
from .project import Kind
from .suites import Suite

RUNS_KEPT = 64


@dataclass(frozen=True, slots=True)
class Before:
    """How each test stood when the work began, in their order then, and which have passed ``since``.

    With ``all_count`` even those that were red then are held against the work. ``silent`` are those that are told only
    when they fail; ``suites`` are what ran, and ``of`` says which of them each test is of.
    """

    passed: Mapping[str, bool] = field(default_factory=dict)
    _: KW_ONLY
    since: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    suites: tuple[Suite, ...] = ()
    of: Mapping[str, Suite] = field(default_factory=dict)
    all_count: bool = False

    def requires(self, name: str) -> bool:
        """Whether the work needs this test to pass: it is new, was green then or since, or red tests are the task."""
        return self.all_count or name in self.since or self.passed.get(name, True)

    def kind(self, name: str) -> Kind | None:
        """How a test was run."""
        suite = self.of.get(name)
        return suite.kind if suite else None

    def without(self, suites: Collection[Suite]) -> "Before":
        """What is known but for suites that are not run this time: nothing of theirs is missed."""
        if not suites:
            return self
        passed = {name: green for name, green in self.passed.items() if self.of.get(name) not in suites}
        return replace(self, passed=passed, since=frozenset(n for n in self.since if self.of.get(n) not in suites))

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

    def begin(self, run: str, outcomes: Mapping[Suite, Outcome], suites: tuple[Suite, ...] = ()) -> None:
        """Note the baseline, red and green."""
        tests = [test for outcome in outcomes.values() for test in outcome.tests]
        silent = frozenset(test.name for test in tests if test.silent)
        passed = {test.name: test.passed for test in tests}
        self._keep(run, Before(passed, silent=silent, suites=suites, of=owners(outcomes)))

    def advance(self, run: str, outcomes: Mapping[Suite, Outcome]) -> None:
        """Note what is green now: it has to stay so."""
        known = self.of(run)
        green = frozenset(name for outcome in outcomes.values() for name in outcome.green)
        self._keep(run, replace(known, since=known.since | green, of={**known.of, **owners(outcomes)}))

    def _keep(self, run: str, known: Before) -> None:
        self.runs.pop(run, None)
        self.runs[run] = known
        while len(self.runs) > RUNS_KEPT:
            del self.runs[next(iter(self.runs))]


def owners(outcomes: Mapping[Suite, Outcome]) -> dict[str, Suite]:
    """Which suite each test is of."""
    return {test.name: suite for suite, outcome in outcomes.items() for test in outcome.tests}
