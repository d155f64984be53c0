"""Say what the linters' findings mean for the work: only what is new counts. Knows no linter."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from openkoi_hookspecs import Check, Evaluation, Finding, Score, Severity

from .messages import Heard

COST = {Severity.BLOCKER: 0.5, Severity.IMPORTANT: 0.1, Severity.SUGGESTION: 0.02}
MOST_FOR_STYLE = 0.2
MOST_FINDINGS = 30
LOG = 8000
GRAVITY = (Severity.BLOCKER, Severity.IMPORTANT, Severity.SUGGESTION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What each linter found before the work began, and which files the work changed."""

    heard: Mapping[str, Heard] = field(default_factory=dict)
    files: tuple[str, ...] = ()

    def broke(self, linter: str) -> bool:
        """Whether it did not do its work then."""
        return linter in self.heard and self.heard[linter].broke

    def fresh(self, now: Heard) -> tuple[Finding, ...]:
        """What is new, in what the work changed; elsewhere too when that is certain to be the work's doing."""
        then = self.heard.get(now.linter)
        old = Counter(finding.key for finding in then.findings) if then else Counter()
        new = tuple(surplus(now.findings, old))
        everywhere = not self.files or (now.wide and then is not None and then.sound)
        return new if everywhere else tuple(finding for finding in new if self.touched(finding))

    def touched(self, finding: Finding) -> bool:
        """Whether the work changed this file; a finding about no file is about the linter itself."""
        return not finding.where or finding.where.rpartition(":")[0] in self.files


def surplus(findings: Sequence[Finding], old: Counter[tuple[str, str, str]]) -> list[Finding]:
    """The findings beyond those that there were, of each identity the last ones."""
    seen: Counter[tuple[str, str, str]] = Counter()
    new = []
    for finding in findings:
        seen[finding.key] += 1
        if seen[finding.key] > old[finding.key]:
            new.append(finding)
    return new


def opinion(heard: Sequence[Heard], before: Before, weight: float) -> Evaluation | None:
    """One check a linter, and a score; None when no linter looked."""
    if not heard:
        return None
    new = {one.linter: before.fresh(one) for one in heard}
    checks = tuple(Check(name, not any(grave(finding) for finding in found)) for name, found in new.items())
    every = [finding for found in new.values() for finding in found]
    shown = tuple(sorted(every, key=lambda finding: GRAVITY.index(finding.severity))[:MOST_FINDINGS])
    scores = (Score("lint", worth(every), weight),)
    return Evaluation(checks=checks, scores=scores, findings=shown, log=log(new))


def grave(finding: Finding) -> bool:
    """Whether it is an error and no matter of style."""
    return finding.severity is not Severity.SUGGESTION


def worth(findings: Sequence[Finding]) -> float:
    """From 1.0 down to 0.0; style alone costs a fifth at most."""
    style = sum(COST[finding.severity] for finding in findings if not grave(finding))
    errors = sum(COST[finding.severity] for finding in findings if grave(finding))
    return max(0.0, 1.0 - errors - min(style, MOST_FOR_STYLE))


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
