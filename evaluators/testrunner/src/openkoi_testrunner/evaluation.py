"""Evaluate a run of the tests against the baseline: new failures, removed tests, flaky tests."""

from collections.abc import Sequence

from openkoi_hookspecs import Check, Evaluation, Finding, Severity

from .baseline import SuiteBaseline, file_of
from .missing_dependencies import NotRun
from .removed_tests import find_absent, find_siblings
from .results import CaseResult, SuiteOutcome

MAX_FINDINGS = 20
MAX_SINGLE_FINDINGS = 5
MAX_LOG_BYTES = 8000
MARGIN = "\n    "
RESTORE_FIX = "Restore it under this name: a test that does not run has not passed."


def evaluate_outcome(
    outcome: SuiteOutcome, before: SuiteBaseline, not_run: Sequence[Finding] = ()
) -> Evaluation | None:
    """Return checks and findings; None if no test ran, none existed before, and none could have been run."""
    missing = tuple(finding.title for finding in not_run if finding.severity is Severity.IMPORTANT)
    gone, withdrawn = find_absent(before.there, outcome, before), find_absent(before.added_tests, outcome, before)
    if not (outcome.tests or gone or withdrawn):
        return Evaluation(missing=missing, findings=tuple(not_run)) if not_run else None
    checks = tuple(make_check(t.name, t.passed, before) for t in outcome.tests)
    checks += tuple(make_check(name, passed=False, before=before) for name in gone)
    if not checks:
        checks = (Check(outcome.runner, passed=False),)
    found = (
        *not_run,
        *failures(outcome, before),
        *report_removed_tests(gone, outcome, before),
        *other_findings(outcome, before, withdrawn),
    )
    return Evaluation(checks=checks, missing=missing, findings=found, log=format_log(outcome, before, gone, not_run))


def make_check(name: str, passed: bool, before: SuiteBaseline) -> Check:
    """Make a check of a test; its file is read from its name if the runner puts it there."""
    return Check(name, passed, required=passed or before.requires(name), file=file_of(name, before.settings))


def not_run_findings(not_run: Sequence[NotRun], touched: Sequence[str]) -> tuple[Finding, ...]:
    """Return a finding for each suite that was not run: important if the work changed something of its language."""
    return tuple(explain_not_run(one, of_the_work=one.suite.concerns(touched)) for one in not_run)


def explain_not_run(skipped: NotRun, *, of_the_work: bool) -> Finding:
    """Explain why tests were not run: they have not passed."""
    place = f" in {skipped.suite.folder}" if skipped.suite.folder else ""
    severity = Severity.IMPORTANT if of_the_work else Severity.SUGGESTION
    how = "cannot start" if skipped.partly else "were not run"
    title = f"The {skipped.suite.kind.value} tests{place} {how}: {skipped.why}"
    return Finding(title, severity, rule="not run", where=skipped.suite.folder, fix=skipped.fix)


def failures(outcome: SuiteOutcome, before: SuiteBaseline) -> list[Finding]:
    """Return what fails and must be fixed."""
    red = [test for test in outcome.red if before.requires(test.name)]
    more = list_names("More tests fail", [test.name for test in red[MAX_FINDINGS:]], Severity.IMPORTANT)
    return [failing_test(test) for test in red[:MAX_FINDINGS]] + more


def failing_test(test: CaseResult) -> Finding:
    """Return the finding of a failing test: its check is required already, so the finding need not be."""
    return Finding(test.title, rule=test.name, where=test.where, detail=test.detail)


def report_removed_tests(gone: Sequence[str], outcome: SuiteOutcome, before: SuiteBaseline) -> list[Finding]:
    """Return findings for tests that no longer run: one each, or one for many."""
    needed = [name for name in gone if before.requires(name)]
    old = [name for name in gone if not before.requires(name)]
    findings = [missing_test(name, outcome, before) for name in needed] if len(needed) <= MAX_SINGLE_FINDINGS else []
    findings = findings or list_names("Existing tests no longer run", needed, Severity.IMPORTANT, RESTORE_FIX)
    return findings + list_names("Tests that failed before the work began no longer run", old, Severity.SUGGESTION)


def missing_test(name: str, outcome: SuiteOutcome, before: SuiteBaseline) -> Finding:
    """Return a finding for a test that no longer runs, with the new tests near it: it may have been renamed."""
    new = find_siblings(name, outcome, before)
    named = (
        f" New tests: {', '.join(new[:MAX_SINGLE_FINDINGS])}. A renamed test still counts as missing." if new else ""
    )
    return Finding(
        absence_title(name, outcome), rule=name, detail=f"It ran before the work began.{named}", fix=RESTORE_FIX
    )


def absence_title(name: str, outcome: SuiteOutcome) -> str:
    """Return the title of a test that no longer runs."""
    return f"{name} is now skipped" if name in outcome.skipped else f"{name} no longer runs"


def other_findings(outcome: SuiteOutcome, before: SuiteBaseline, withdrawn: Sequence[str]) -> list[Finding]:
    """Return findings that fail no check."""
    old = [test.name for test in outcome.red if not before.requires(test.name)]
    findings = list_names("Tests that an earlier iteration added no longer run", withdrawn, Severity.IMPORTANT)
    findings += [flaky_test(name) for name in outcome.flaky[:MAX_FINDINGS]]
    return findings + list_names("Tests that failed before the work began still fail", old, Severity.SUGGESTION)


def flaky_test(name: str) -> Finding:
    """Return a finding for a test that is unreliable."""
    detail = "It failed, then passed when rerun without changes."
    return Finding(f"{name} is flaky", Severity.SUGGESTION, rule=name, detail=detail)


def list_names(title: str, names: Sequence[str], severity: Severity, fix: str = "") -> list[Finding]:
    """Return one finding for many names."""
    if not names:
        return []
    more = f"\n… and {len(names) - MAX_FINDINGS} more" if len(names) > MAX_FINDINGS else ""
    return [Finding(title, severity, rule="tests", detail="\n".join(names[:MAX_FINDINGS]) + more, fix=fix)]


def format_log(outcome: SuiteOutcome, before: SuiteBaseline, gone: Sequence[str], not_run: Sequence[Finding]) -> str:
    """Return the summary that judges read: counts, what no longer runs, each failure with the end of its output."""
    parts = [format_counts(outcome, gone), *(f"NOT RUN {finding.title}" for finding in not_run)]
    parts += ["\n".join(f"ABSENT {absence_title(name, outcome)}" for name in gone[:MAX_FINDINGS])] if gone else []
    for test in outcome.red:
        when = "" if before.requires(test.name) else " (failed before the work began)"
        place = f"{MARGIN}{test.where}" if test.where else ""
        parts.append(f"FAILED {test.title}{when}{place}{MARGIN}{test.detail.replace(chr(10), MARGIN)}".rstrip())
    return shorten_log("\n\n".join(parts).encode(errors="replace"))


def shorten_log(log: bytes) -> str:
    """Return a log as text; cut off a long one, and state how much is omitted."""
    omitted = len(log) - MAX_LOG_BYTES
    end = f"\n[{omitted:,} bytes omitted]" if omitted > 0 else ""
    return log[:MAX_LOG_BYTES].decode(errors="ignore") + end


def format_counts(outcome: SuiteOutcome, gone: Sequence[str]) -> str:
    """Return one line of counts."""
    red = len(outcome.red)
    skipped = f", {len(outcome.skipped)} skipped" if outcome.skipped else ""
    flaky = f", {len(outcome.flaky)} flaky" if outcome.flaky else ""
    absent = f", {len(gone)} absent" if gone else ""
    runners = " and ".join(outcome.runners)
    return f"{runners}: {len(outcome.tests) - red} passed, {red} failed{skipped}{flaky}{absent}"
