"""Evaluate the linters' findings: only new ones count."""

from collections.abc import Mapping, Sequence

from openkoi_hookspecs import Check, Evaluation, Finding, Severity

from .baseline import LintBaseline
from .messages import LinterOutput

MAX_FINDINGS = 30
MAX_LOG_CHARACTERS = 8000
SEVERITY_ORDER = (Severity.BLOCKER, Severity.IMPORTANT, Severity.SUGGESTION)


def evaluate_findings(
    heard: Sequence[LinterOutput], before: LintBaseline, gone: Sequence[str] = (), silent: Sequence[str] = ()
) -> Evaluation | None:
    """Return one check per linter, or None when no linter ran, now or before.

    Linters that ran before and are ``gone`` from the project are failed checks; ``silent`` ones, which could not run,
    are missing.
    """
    if not (heard or gone or silent):
        return None
    new = {one.linter: before.new_findings(one) for one in heard}
    checks = tuple(Check(name, not any(is_error(finding) for finding in found)) for name, found in new.items())
    every = [finding for found in new.values() for finding in found]
    shown = tuple(sorted(every, key=lambda finding: SEVERITY_ORDER.index(finding.severity))[:MAX_FINDINGS])
    lost = tuple(Check(name, passed=False) for name in gone)
    missing = tuple(f"{name} did not run" for name in silent)
    found = (*shown, *map(removed_linter, gone))
    return Evaluation(checks=(*checks, *lost), missing=missing, findings=found, log=format_log(new))


def is_error(finding: Finding) -> bool:
    """Return whether a finding is more than a suggestion."""
    return finding.severity is not Severity.SUGGESTION


def removed_linter(linter: str) -> Finding:
    """Return the finding for a linter that is no longer configured."""
    return Finding(f"{linter} no longer runs", rule=linter, fix="Restore its configuration.")


def format_log(new: Mapping[str, Sequence[Finding]]) -> str:
    """Return the text for judges: a headline per linter, and a line per finding."""
    parts = []
    for name, found in new.items():
        parts.append(f"{name}: {len(found) or 'nothing'} new")
        parts += [
            f"  {finding.where} {finding.rule} {finding.detail if finding.where and finding.detail else finding.title}"
            for finding in found
        ]
    return "\n".join(parts).encode()[:MAX_LOG_CHARACTERS].decode(errors="ignore")
