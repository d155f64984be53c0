"""Say what the linters' findings mean for the work: only what is new counts. Knows no linter."""

from collections.abc import Mapping, Sequence

from openkoi_hookspecs import Check, Evaluation, Finding, Severity

from .baseline import Before
from .messages import Heard

MOST_FINDINGS = 30
LOG = 8000
GRAVITY = (Severity.BLOCKER, Severity.IMPORTANT, Severity.SUGGESTION)


def opinion(
    heard: Sequence[Heard], before: Before, gone: Sequence[str] = (), silent: Sequence[str] = ()
) -> Evaluation | None:
    """One check a linter; None when no linter looked, now or then.

    Of those that worked before, the ones that are ``gone`` from the project are failed checks, and those that are
    ``silent``, because they could not be run, are missing.
    """
    if not (heard or gone or silent):
        return None
    new = {one.linter: before.fresh(one) for one in heard}
    checks = tuple(Check(name, not any(grave(finding) for finding in found)) for name, found in new.items())
    every = [finding for found in new.values() for finding in found]
    shown = tuple(sorted(every, key=lambda finding: GRAVITY.index(finding.severity))[:MOST_FINDINGS])
    lost = tuple(Check(name, passed=False) for name in gone)
    missing = tuple(f"{name} did not run" for name in silent)
    found = (*shown, *map(stopped, gone))
    return Evaluation(checks=(*checks, *lost), missing=missing, findings=found, log=log(new))


def grave(finding: Finding) -> bool:
    """Whether it is an error and not a matter of style."""
    return finding.severity is not Severity.SUGGESTION


def stopped(linter: str) -> Finding:
    """A linter that looked before the work and is not configured any more."""
    return Finding(f"{linter} no longer runs", rule=linter, fix="Restore its configuration.")


def log(new: Mapping[str, Sequence[Finding]]) -> str:
    """What judges read: a headline for each linter, and a line for each finding."""
    parts = []
    for name, found in new.items():
        parts.append(f"{name}: {len(found) or 'nothing'} new")
        parts += [
            f"  {finding.where} {finding.rule} {finding.detail if finding.where and finding.detail else finding.title}"
            for finding in found
        ]
    return "\n".join(parts).encode()[:LOG].decode(errors="ignore")
