"""Evaluate a run of the tests against the baseline."""

from collections.abc import Sequence

from openkoi_hookspecs import Check, Evaluation, Finding, Severity

from .absent import absent, siblings
from .baseline import SuiteBaseline, file_of
from .missing import NotRun
from .outcome import CaseResult, SuiteOutcome

MAX_FINDINGS = 20
MAX_SINGLE_FINDINGS = 5
MAX_LOG_BYTES = 8000
MARGIN = "\n    "
BACK = "Restore it under this name: a test that does not run has not passed."


def verdict(outcome: SuiteOutcome, before: SuiteBaseline, not_run: Sequence[Finding] = ()) -> Evaluation | None:
    """Checks and findings; None when no test ran, none was there before, and none could have been run."""
    missing = tuple(finding.title for finding in not_run if finding.severity is Severity.IMPORTANT)
    gone, withdrawn = absent(before.there, outcome, before), absent(before.added_tests, outcome, before)
    if not (outcome.tests or gone or withdrawn):
        return Evaluation(missing=missing, findings=tuple(not_run)) if not_run else None
    checks = tuple(make_check(t.name, t.passed, before) for t in outcome.tests)
    checks += tuple(make_check(name, passed=False, before=before) for name in gone)
    if not checks:
        checks = (Check(outcome.runner, passed=False),)
    found = (
        *not_run,
        *failures(outcome, before),
        *removed_tests(gone, outcome, before),
        *remarks(outcome, before, withdrawn),
    )
    return Evaluation(checks=checks, missing=missing, findings=found, log=log(outcome, before, gone, not_run))


def make_check(name: str, passed: bool, before: SuiteBaseline) -> Check:
    """Make a check of a test; its file is read from its name if the runner puts it there."""
    return Check(name, passed, required=passed or before.requires(name), file=file_of(name, before.settings))


def unrun(not_run: Sequence[NotRun], touched: Sequence[str]) -> tuple[Finding, ...]:
    """A finding for each suite that was not run: a matter of the work where it changed something of its language."""
    return tuple(left_out(one, of_the_work=one.suite.concerns(touched)) for one in not_run)


def left_out(one: NotRun, *, of_the_work: bool) -> Finding:
    """Why tests were not run: they are not tests that passed."""
    place = f" in {one.suite.folder}" if one.suite.folder else ""
    severity = Severity.IMPORTANT if of_the_work else Severity.SUGGESTION
    how = "cannot begin" if one.partly else "were not run"
    title = f"The {one.suite.kind.value} tests{place} {how}: {one.why}"
    return Finding(title, severity, rule="not run", where=one.suite.folder, fix=one.fix)


def failures(outcome: SuiteOutcome, before: SuiteBaseline) -> list[Finding]:
    """Return what fails and has to be fixed."""
    red = [test for test in outcome.red if before.requires(test.name)]
    more = list_names("More tests fail", [test.name for test in red[MAX_FINDINGS:]], Severity.IMPORTANT)
    return [failing(test) for test in red[:MAX_FINDINGS]] + more


def failing(test: CaseResult) -> Finding:
    """A failing test: its check gates already, so the finding need not."""
    return Finding(test.title, rule=test.name, where=test.where, detail=test.detail)


def removed_tests(gone: Sequence[str], outcome: SuiteOutcome, before: SuiteBaseline) -> list[Finding]:
    """Return findings for tests that no longer run: one each, or one for many."""
    needed = [name for name in gone if before.requires(name)]
    old = [name for name in gone if not before.requires(name)]
    said = [lost(name, outcome, before) for name in needed] if len(needed) <= MAX_SINGLE_FINDINGS else []
    said = said or list_names("Tests that were there before no longer run", needed, Severity.IMPORTANT, BACK)
    return said + list_names("Tests that failed before the work began no longer run", old, Severity.SUGGESTION)


def lost(name: str, outcome: SuiteOutcome, before: SuiteBaseline) -> Finding:
    """A test that no longer runs, with the new ones beside it: it may have been given another name."""
    new = siblings(name, outcome, before)
    named = (
        f" New beside it: {', '.join(new[:MAX_SINGLE_FINDINGS])}. If it was renamed, it still counts as missing."
        if new
        else ""
    )
    return Finding(gone_how(name, outcome), rule=name, detail=f"It ran when the work began.{named}", fix=BACK)


def gone_how(name: str, outcome: SuiteOutcome) -> str:
    """The title of a test that no longer runs."""
    return f"{name} is skipped now" if name in outcome.skipped else f"{name} no longer runs"


def remarks(outcome: SuiteOutcome, before: SuiteBaseline, withdrawn: Sequence[str]) -> list[Finding]:
    """What fails no check."""
    old = [test.name for test in outcome.red if not before.requires(test.name)]
    said = list_names("Tests that an earlier attempt added no longer run", withdrawn, Severity.IMPORTANT)
    said += [flaky(name) for name in outcome.flaky[:MAX_FINDINGS]]
    return said + list_names("Tests that failed before the work began still fail", old, Severity.SUGGESTION)


def flaky(name: str) -> Finding:
    """A test that cannot be relied upon."""
    detail = "It failed, and passed when it was run again with nothing changed."
    return Finding(f"{name} is flaky", Severity.SUGGESTION, rule=name, detail=detail)


def list_names(title: str, names: Sequence[str], severity: Severity, fix: str = "") -> list[Finding]:
    """Return one finding for many names."""
    if not names:
        return []
    more = f"\n… and {len(names) - MAX_FINDINGS} more" if len(names) > MAX_FINDINGS else ""
    return [Finding(title, severity, rule="tests", detail="\n".join(names[:MAX_FINDINGS]) + more, fix=fix)]


def log(outcome: SuiteOutcome, before: SuiteBaseline, gone: Sequence[str], not_run: Sequence[Finding]) -> str:
    """The summary that judges read: counts, what no longer runs, each failure with the end of what it printed."""
    parts = [counts(outcome, gone), *(f"NOT RUN {finding.title}" for finding in not_run)]
    parts += ["\n".join(f"ABSENT {gone_how(name, outcome)}" for name in gone[:MAX_FINDINGS])] if gone else []
    for test in outcome.red:
        when = "" if before.requires(test.name) else " (failed before the work began)"
        place = f"{MARGIN}{test.where}" if test.where else ""
        parts.append(f"FAILED {test.title}{when}{place}{MARGIN}{test.detail.replace(chr(10), MARGIN)}".rstrip())
    return "\n\n".join(parts).encode(errors="replace")[:MAX_LOG_BYTES].decode(errors="ignore")


def counts(outcome: SuiteOutcome, gone: Sequence[str]) -> str:
    """One line of figures."""
    red = len(outcome.red)
    skipped = f", {len(outcome.skipped)} skipped" if outcome.skipped else ""
    flaky = f", {len(outcome.flaky)} flaky" if outcome.flaky else ""
    absent = f", {len(gone)} absent" if gone else ""
    runners = " and ".join(outcome.runners)
    return f"{runners}: {len(outcome.tests) - red} passed, {red} failed{skipped}{flaky}{absent}"
