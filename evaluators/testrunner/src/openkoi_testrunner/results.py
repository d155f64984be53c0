"""Represent the results of a project's tests."""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, replace

from openkoi_hookspecs.lazy_dataclass import dataclass

from .messages import failure_title, last_part


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One test that ran, or the runner itself; ``title`` describes a failure in words that stay the same.

    A ``silent`` one is reported only when it fails, so that its absence means nothing.
    """

    name: str
    passed: bool
    _: KW_ONLY
    title: str = ""
    where: str = ""
    detail: str = ""
    silent: bool = False


def failed_case(name: str, reason: str, text: str, where: str, *, silent: bool = False) -> CaseResult:
    """Return a failed test: its reason in its title, and the end of what it printed."""
    title = failure_title(name, reason)
    return CaseResult(name, passed=False, title=title, where=where, detail=last_part(text), silent=silent)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteOutcome:
    """All tests that ran. ``complete`` is false if the runner died, was stopped, or lost the end of its report.

    ``repeats``: single tests can be repeated; ``flaky`` names those that failed and then passed. ``others`` are the
    runners that ran beside the first.
    """

    runner: str
    tests: tuple[CaseResult, ...] = ()
    skipped: tuple[str, ...] = ()
    complete: bool = True
    repeats: bool = False
    flaky: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def runners(self) -> tuple[str, ...]:
        """The programs that ran the tests."""
        return self.runner, *self.others

    @property
    def red(self) -> tuple[CaseResult, ...]:
        """The tests that failed."""
        return tuple(test for test in self.tests if not test.passed)

    @property
    def green(self) -> frozenset[str]:
        """The names of the tests that passed."""
        return frozenset(test.name for test in self.tests if test.passed)


def relative_outcome(outcome: SuiteOutcome, folder: str) -> SuiteOutcome:
    """Return the outcome with names and locations relative to the workspace."""
    if not folder:
        return outcome
    runner = f"{outcome.runner} in {folder}"
    tests = (
        replace(move_test(test, folder), name=runner) if test.name == outcome.runner else move_test(test, folder)
        for test in outcome.tests
    )
    skipped = tuple(f"{folder}/{name}" for name in outcome.skipped)
    return replace(outcome, runner=runner, tests=tuple(tests), skipped=skipped)


def move_test(test: CaseResult, folder: str) -> CaseResult:
    """Return a test with its folder before its name and location."""
    where = f"{folder}/{test.where}" if test.where else ""
    title = f"{folder}/{test.title}" if test.title.startswith(test.name) else test.title
    return replace(test, name=f"{folder}/{test.name}", title=title, where=where)


def merge_tests(tests: Iterable[CaseResult]) -> tuple[CaseResult, ...]:
    """Return one entry per name, in order of appearance; one failure outweighs any passes."""
    kept: dict[str, CaseResult] = {}
    for test in tests:
        before = kept.get(test.name)
        if before is None or before.passed:
            kept[test.name] = test
    return tuple(kept.values())


def join_outcomes(outcomes: Sequence[SuiteOutcome]) -> SuiteOutcome | None:
    """Return the outcomes of several runners as one."""
    if len(outcomes) < 2:
        return next(iter(outcomes), None)
    return SuiteOutcome(
        runner=outcomes[0].runner,
        others=tuple(outcome.runner for outcome in outcomes[1:]),
        tests=merge_tests(test for outcome in outcomes for test in outcome.tests),
        skipped=tuple(name for outcome in outcomes for name in outcome.skipped),
        complete=all(outcome.complete for outcome in outcomes),
        repeats=all(outcome.repeats for outcome in outcomes),
    )


def count_as_passed(outcome: SuiteOutcome, names: frozenset[str]) -> SuiteOutcome:
    """Return the outcome with these tests counted as passed, because they passed when repeated."""
    flaky = tuple(test.name for test in outcome.red if test.name in names)
    tests = tuple(replace(test, passed=True) if test.name in flaky else test for test in outcome.tests)
    return replace(outcome, tests=tests, flaky=flaky)
