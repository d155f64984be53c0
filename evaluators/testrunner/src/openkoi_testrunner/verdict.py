"""Say what a run of the tests means for the work. Knows outcomes and what was before; runs nothing."""

from openkoi_hookspecs import Check, Evaluation, Finding, Score, Severity

from .before import Before
from .outcome import Outcome, Ran

MOST_FINDINGS = 20
LOG = 8000
MARGIN = "\n    "


def verdict(outcome: Outcome, before: Before, weight: float) -> Evaluation | None:
    """Checks, findings and a score; None when no test ran and none was there before."""
    lost = gone(outcome, before)
    if not outcome.tests and not lost:
        return None
    checks = tuple(Check(t.name, t.passed, required=before.requires(t.name)) for t in outcome.tests)
    if not checks:
        checks = (Check(outcome.runner, passed=False),)
    counted = [check for check in checks if check.passed or check.required]
    scores = (Score("tests", sum(c.passed for c in counted) / len(counted), weight),) if counted else ()
    return Evaluation(checks=checks, scores=scores, findings=findings(outcome, before, lost), log=log(outcome, before))


def gone(outcome: Outcome, before: Before) -> tuple[str, ...]:
    """Tests that passed before and no longer run, although the runner did its work: deleted, renamed or skipped."""
    if not outcome.complete:
        return ()
    unread = tuple(f"{test.name}{mark}" for test in outcome.red for mark in ("::", ".", "/"))
    ran = {test.name for test in outcome.tests}
    missing = before.green - ran - {outcome.runner}
    return tuple(sorted(name for name in missing if not name.startswith(unread)))


def findings(outcome: Outcome, before: Before, lost: tuple[str, ...]) -> tuple[Finding, ...]:
    """What to mend first, then what is only worth knowing."""
    red = [test for test in outcome.red if before.requires(test.name)]
    old = [test.name for test in outcome.red if not before.requires(test.name)]
    said = [failing(test) for test in red[:MOST_FINDINGS]]
    said += listed("More tests fail", [test.name for test in red[MOST_FINDINGS:]], Severity.IMPORTANT)
    said += listed("Tests that passed before no longer run", lost, Severity.IMPORTANT)
    said += [flaky(name) for name in outcome.flaky[:MOST_FINDINGS]]
    said += listed("Tests that failed before the work began still fail", old, Severity.SUGGESTION)
    return tuple(said)


def failing(test: Ran) -> Finding:
    """A failing test: its check gates already, so the finding need not."""
    return Finding(test.title, rule=test.name, where=test.where, detail=test.detail)


def flaky(name: str) -> Finding:
    """A test that cannot be relied upon."""
    detail = "It failed, and passed when it was run again with nothing changed."
    return Finding(f"{name} is flaky", Severity.SUGGESTION, rule=name, detail=detail)


def listed(title: str, names: list[str] | tuple[str, ...], severity: Severity) -> list[Finding]:
    """One finding for many names."""
    if not names:
        return []
    more = f"\n… and {len(names) - MOST_FINDINGS} more" if len(names) > MOST_FINDINGS else ""
    return [Finding(title, severity, rule="tests", detail="\n".join(names[:MOST_FINDINGS]) + more)]


def log(outcome: Outcome, before: Before) -> str:
    """The summary that judges read: counts, then each failure with the end of what it printed."""
    parts = [counts(outcome)]
    for test in outcome.red:
        when = "" if before.requires(test.name) else " (failed before the work began)"
        place = f"{MARGIN}{test.where}" if test.where else ""
        parts.append(f"FAILED {test.title}{when}{place}{MARGIN}{test.detail.replace(chr(10), MARGIN)}".rstrip())
    return "\n\n".join(parts).encode()[:LOG].decode(errors="ignore")


def counts(outcome: Outcome) -> str:
    """One line of figures."""
    red = len(outcome.red)
    skipped = f", {outcome.skipped} skipped" if outcome.skipped else ""
    flaky = f", {len(outcome.flaky)} flaky" if outcome.flaky else ""
    return f"{outcome.runner}: {len(outcome.tests) - red} passed, {red} failed{skipped}{flaky}"
