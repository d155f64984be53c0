"""Evaluate the linters' findings: only new ones count."""

from collections.abc import Iterator, Mapping, Sequence

from openkoi_hookspecs import Check, Evaluation, Finding, Severity

from .baseline import LintBaseline
from .messages import LinterOutput

MAX_FINDINGS = 30
MAX_LOG_BYTES = 8000
SEVERITY_ORDER = (Severity.BLOCKER, Severity.IMPORTANT, Severity.SUGGESTION)


def evaluate_findings(
    outputs: Sequence[LinterOutput], before: LintBaseline, gone: Sequence[str] = (), missing: Sequence[str] = ()
) -> Evaluation | None:
    """Return one check per linter, or None when no linter ran, now or before.

    Linters that ran before and are ``gone`` from the project are failed checks; ``missing`` says what was not checked.
    """
    if not (outputs or gone or missing):
        return None
    new = {one.linter: before.new_findings(one) for one in outputs}
    checks = tuple(Check(name, not any(is_error(finding) for finding in found)) for name, found in new.items())
    lost = tuple(Check(name, passed=False) for name in gone)
    every = [finding for found in new.values() for finding in found]
    found = (*shorten(every), *map(removed_linter, gone))
    return Evaluation(checks=(*checks, *lost), missing=tuple(missing), findings=found, log=format_log(new))


def shorten(findings: Sequence[Finding]) -> Sequence[Finding]:
    """Return the findings by severity; beyond the limit, one finding states how many are not listed."""
    ordered = sorted(findings, key=lambda finding: SEVERITY_ORDER.index(finding.severity))
    if len(ordered) <= MAX_FINDINGS:
        return ordered
    shown, rest = ordered[: MAX_FINDINGS - 1], ordered[MAX_FINDINGS - 1 :]
    severity = Severity.IMPORTANT if is_error(rest[0]) else Severity.SUGGESTION
    return [
        *shown,
        Finding("More new linter findings are not listed", severity, rule="lint", detail=f"{len(rest)} more"),
    ]


def is_error(finding: Finding) -> bool:
    """Return whether a finding is more than a suggestion."""
    return finding.severity is not Severity.SUGGESTION


def removed_linter(linter: str) -> Finding:
    """Return the finding for a linter that is no longer configured."""
    return Finding(f"{linter} no longer runs", rule=linter, fix="Restore its configuration.")


def format_log(new: Mapping[str, Sequence[Finding]]) -> str:
    """Return the text for judges: a headline per linter, and a line per finding; a long text is cut off."""
    lines = [line for name, found in new.items() for line in linter_lines(name, found)]
    text = "\n".join(lines).encode(errors="replace")
    if len(text) <= MAX_LOG_BYTES:
        return text.decode()
    log_lines = text[:MAX_LOG_BYTES].decode(errors="ignore").split("\n")[:-1]
    return "\n".join([*log_lines, f"… and {len(lines) - len(log_lines)} more lines"])


def linter_lines(name: str, found: Sequence[Finding]) -> Iterator[str]:
    """Yield how many findings are new, and each of them."""
    yield f"{name}: {len(found) or 'nothing'} new"
    for finding in found:
        message = finding.detail if finding.where and finding.detail else finding.title
        yield f"  {finding.where} {finding.rule} {message}"
