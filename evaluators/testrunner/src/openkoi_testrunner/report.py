"""Parse a runner's output into an outcome."""

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from .cargo import read_cargo
from .gotest import read_go
from .jsreport import read_js
from .junit import read_junit
from .locations import first
from .outcome import CaseResult, SuiteOutcome, merge_tests
from .summary import read_summary
from .tap import read_tap
from .wording import last_words, plain, steady, tail

Told: TypeAlias = tuple[tuple[CaseResult, ...], tuple[str, ...]]
READERS = (read_go, read_tap, read_cargo, read_junit, read_summary)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerReport:
    """A runner's output, its exit status, and whether it was stopped.

    ``counts``: the runner names each test, so that none are named when there were none. ``told`` is what it reported
    apart from its output; one that was ``to_report`` and did not was cut off.
    """

    runner: str
    text: str
    exit_code: int
    root: Path
    timed_out: bool = False
    counts: bool = False
    to_report: bool = False
    told: tuple[str, ...] = ()


def outcome_of(report: RunnerReport) -> SuiteOutcome:
    """Its tests one by one where it names them, and its own word when it has more to say than they do."""
    tests, skipped = read(report)
    every = merge_tests([*tests, *own_word(report, tests)])
    complete = all(test.passed for test in every if test.name == report.runner) and not is_report_missing(report)
    return SuiteOutcome(runner=report.runner, tests=every, skipped=skipped, complete=complete, repeats=report.counts)


def is_report_missing(report: RunnerReport) -> bool:
    """Return whether a report is missing because a runner died or was not reached."""
    return report.to_report and (not report.told or None in reports(report))


def reports(report: RunnerReport) -> list[Told | None]:
    """What was reported apart from the words."""
    return [read_js(told, report.root) for told in report.told]


def read(report: RunnerReport) -> Told:
    """The tests and the names of skipped ones: as reported, or in the first format that fits the words."""
    told = [one for one in reports(report) if one]
    if told:
        return tuple(test for tests, _ in told for test in tests), tuple(name for _, names in told for name in names)
    text = plain(report.text)
    for reader in READERS:
        tests, skipped = reader(text, report.root)
        if tests or skipped:
            return tests, skipped
    return (), ()


def own_word(report: RunnerReport, tests: tuple[CaseResult, ...]) -> tuple[CaseResult, ...]:
    """The runner as a check of its own: it names no tests, or failed although they passed, or was stopped."""
    if report.timed_out:
        return (runner_failure(report, f"{report.runner} did not end in time"),)
    if report.exit_code == 0:
        return () if tests or report.counts else (CaseResult(report.runner, passed=True),)
    if any(not test.passed for test in tests):
        return ()
    why = steady(last_words(report.text))
    return (runner_failure(report, f"{report.runner} fails: {why}" if why else f"{report.runner} fails"),)


def runner_failure(report: RunnerReport, title: str) -> CaseResult:
    """Return the runner's own failure."""
    text = plain(report.text)
    return CaseResult(report.runner, passed=False, title=title, where=first(text, report.root), detail=tail(text))
