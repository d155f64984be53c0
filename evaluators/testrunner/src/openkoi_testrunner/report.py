"""Parse a runner's output into an outcome."""

from pathlib import Path
from typing import TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass

from .cargo import read_cargo
from .junit import read_junit
from .locations import first_location
from .messages import error_line, last_part, stable_line, without_colours
from .parse_go import read_go
from .parse_js import read_js
from .results import CaseResult, SuiteOutcome, merge_tests
from .summary import read_summary
from .tap import read_tap

ParsedReport: TypeAlias = tuple[tuple[CaseResult, ...], tuple[str, ...]]
READERS = (read_go, read_tap, read_cargo, read_junit, read_summary)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerReport:
    """A runner's output, its exit status, and whether it was stopped.

    ``counts``: the runner names each test, so no names mean no tests. ``reports`` are its report files; a runner that
    was ``to_report`` and has none was cut off.
    """

    runner: str
    text: str
    exit_code: int
    root: Path
    timed_out: bool = False
    counts: bool = False
    to_report: bool = False
    reports: tuple[str, ...] = ()


def outcome_of(report: RunnerReport) -> SuiteOutcome:
    """Return the runner's tests, and its own failure if that reports more than they do."""
    tests, skipped = parse_report(report)
    every = merge_tests([*tests, *runner_check(report, tests)])
    complete = all(test.passed for test in every if test.name == report.runner) and not is_report_missing(report)
    return SuiteOutcome(runner=report.runner, tests=every, skipped=skipped, complete=complete, repeats=report.counts)


def is_report_missing(report: RunnerReport) -> bool:
    """Return whether a report is missing because a runner died or was not reached."""
    return report.to_report and (not report.reports or None in parse_reports(report))


def parse_reports(report: RunnerReport) -> list[ParsedReport | None]:
    """Parse the report files that were written in addition to the output."""
    return [read_js(text, report.root) for text in report.reports]


def parse_report(report: RunnerReport) -> ParsedReport:
    """Return the tests and the names of skipped ones: as reported, or in the first format that matches the output."""
    parsed = [each for each in parse_reports(report) if each]
    if parsed:
        return tuple(test for tests, _ in parsed for test in tests), tuple(
            name for _, names in parsed for name in names
        )
    text = without_colours(report.text)
    for reader in READERS:
        tests, skipped = reader(text, report.root)
        if tests or skipped:
            return tests, skipped
    return (), ()


def runner_check(report: RunnerReport, tests: tuple[CaseResult, ...]) -> tuple[CaseResult, ...]:
    """Return the runner as a check of its own, if it named no tests, failed although they passed, or was stopped."""
    if report.timed_out:
        return (runner_failure(report, f"{report.runner} timed out"),)
    if report.exit_code == 0:
        return () if tests or report.counts else (CaseResult(report.runner, passed=True),)
    if any(not test.passed for test in tests):
        return ()
    why = stable_line(error_line(report.text))
    return (runner_failure(report, f"{report.runner} fails: {why}" if why else f"{report.runner} fails"),)


def runner_failure(report: RunnerReport, title: str) -> CaseResult:
    """Return the runner's own failure."""
    text = without_colours(report.text)
    return CaseResult(
        report.runner, passed=False, title=title, where=first_location(text, report.root), detail=last_part(text)
    )
