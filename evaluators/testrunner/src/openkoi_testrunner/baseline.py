"""Record which tests failed before the task, and which have passed since."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, field, replace
from typing import Any

from openkoi_hookspecs import Baseline, Check, Json
from openkoi_hookspecs.lazy_dataclass import dataclass

from .project import RunnerKind
from .results import SuiteOutcome
from .suites import Suite


@dataclass(frozen=True, slots=True)
class SuiteBaseline:
    """The result of each test when the task began, in order, and the tests that have passed ``since``.

    With ``all_count``, tests that failed before count as well. ``silent`` ones are reported only when they fail;
    ``settings`` are changed files that decide how tests run; ``suites`` are those that ran, and ``of`` is the suite of
    each test.
    """

    passed: Mapping[str, bool] = field(default_factory=dict)
    _: KW_ONLY
    since: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    suites: tuple[Suite, ...] = ()
    of: Mapping[str, Suite] = field(default_factory=dict)
    all_count: bool = False
    settings: tuple[str, ...] = ()

    def requires(self, name: str) -> bool:
        """Return whether the work needs this test to pass: it is new, has passed, or the task is to fix tests."""
        return self.all_count or name in self.since or self.passed.get(name, True)

    def kind(self, name: str) -> RunnerKind | None:
        """Return how a test was run."""
        suite = self.of.get(name)
        return suite.kind if suite else None

    def without(self, suites: Collection[Suite]) -> "SuiteBaseline":
        """Return the baseline without suites that are not run this time, whose tests are not missing."""
        if not suites:
            return self
        passed = {name: green for name, green in self.passed.items() if self.of.get(name) not in suites}
        return replace(self, passed=passed, since=frozenset(n for n in self.since if self.of.get(n) not in suites))

    @property
    def there(self) -> tuple[str, ...]:
        """The tests that must still exist."""
        return tuple(name for name in self.passed if name not in self.silent)

    @property
    def added_tests(self) -> tuple[str, ...]:
        """The tests that the work added, and that passed."""
        return tuple(sorted(self.since - self.passed.keys()))


def make_baseline(outcomes: Mapping[Suite, SuiteOutcome], suites: tuple[Suite, ...] = ()) -> Baseline:
    """Return the record of what ran before the work. ``of`` names the suite of each test beyond the first."""
    tests = [test for outcome in outcomes.values() for test in outcome.tests]
    known = tuple(dict.fromkeys((*suites, *outcomes)))
    state: dict[str, Json] = {
        "suites": [[str(suite.kind), suite.folder] for suite in known],
        "of": {name: known.index(suite) for name, suite in suites_by_test(outcomes).items() if suite != known[0]},
        "silent": [*dict.fromkeys(test.name for test in tests if test.silent)],
    }
    return Baseline("", tuple(Check(test.name, test.passed, file=file_of(test.name)) for test in tests), state)


def parse_baseline(record: Baseline | None, since: Iterable[Check] = ()) -> SuiteBaseline:
    """Parse a record; of the earlier evaluations' checks in ``since``, only this evaluator's count."""
    if record is None:
        return SuiteBaseline()
    state: Any = record.state or {}
    suites = tuple(Suite(RunnerKind(kind), folder) for kind, folder in state.get("suites", ()))
    passed = {check.name: check.passed for check in record.checks}
    green = frozenset(check.name for check in since if check.passed and check.evaluator == record.evaluator)
    of = dict.fromkeys(passed, suites[0]) if suites else {}
    of |= {name: suite for name in green - passed.keys() if (suite := suite_of(name, suites))}
    of |= {name: suites[place] for name, place in state.get("of", {}).items()}
    return SuiteBaseline(passed, since=green, silent=frozenset(state.get("silent", ())), suites=suites, of=of)


def suite_of(name: str, suites: Sequence[Suite]) -> Suite | None:
    """Return the suite in whose folder a test is, the deepest of several."""
    inside = [suite for suite in suites if not suite.folder or name.startswith(f"{suite.folder}/")]
    return max(inside, key=lambda suite: len(suite.folder), default=None)


def file_of(name: str, settings: Iterable[str] = ()) -> str:
    """Return the path at the start of a test's name, before ``::`` or `` > ``; empty if there is none.

    One of ``settings``, files that decide how the tests of their folder run, stands for the tests below it.
    """
    for file in settings:
        if name.startswith(file.rpartition("/")[0]):
            return file
    path = name.partition("::")[0].partition(" > ")[0]
    return path if path != name and "." in path.rpartition("/")[2] else ""


def suites_by_test(outcomes: Mapping[Suite, SuiteOutcome]) -> dict[str, Suite]:
    """Return the suite of each test."""
    return {test.name: suite for suite, outcome in outcomes.items() for test in outcome.tests}
