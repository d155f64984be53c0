"""Whether a judgement can be spared, and whether a spared one may stand. Pure: knows verdicts, changes and checks."""

from dataclasses import dataclass

from openkoi_hookspecs import Evaluation, Limits, Severity

from .kept import Judgement
from .since import Change
from .verdict import Verdict
from .votes import total

NEAR = 1e-9
WORTH = 0.5  # a full judgement follows about every other partial one: a run's last one has to be full
CACHED = 0.1  # the price of a token that is read from the vendor's cache, of one that is not (Anthropic, OpenAI: 2026)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How a verdict is come by: ``votes`` within ``band`` of the threshold.

    A judgement is left out when the last full one reached ``confidence``, the checks pass, and no more than ``small``
    characters of diff came since. Scores are lowered by what a certificate found them ``lenient``; a judge that was
    found to overlook defects is ``tried`` with half of the work before the whole is accepted.
    """

    votes: int
    band: float
    confidence: float
    small: int
    lenient: float = 0.0
    tried: bool = False


def skippable(before: Judgement, change: Change, known: Evaluation | None, rules: Rules) -> bool:
    """Whether what was held of the work before a small change holds still: only checks have to pass, and they do."""
    sure = total(before.verdict) >= rules.confidence - NEAR and not before.carried
    spotless = all(finding.severity is Severity.SUGGESTION for finding in before.verdict.findings)
    return sure and spotless and green(known) and len(change.text) <= rules.small


def green(known: Evaluation | None) -> bool:
    """Whether required checks were run, and all passed: those that are absent passed nothing."""
    return known is not None and not known.failing and any(check.required for check in known.checks)


def acceptable(verdict: Verdict, known: Evaluation | None, limits: Limits) -> bool:
    """Whether the work would be accepted with this verdict: then it has to be a full one."""
    blocked = any(finding.severity is Severity.BLOCKER for finding in verdict.findings)
    if blocked or (known and (known.failing or known.blockers)):
        return False
    return total(verdict) >= limits.quality_threshold - NEAR


def worthwhile(partly: int, whole: int, steady: int) -> bool:
    """Whether asking about the change alone is so much shorter that it pays, although a full one may have to follow.

    Both begin with the same ``steady`` characters, which the vendor has cached since the first judgement.
    """
    cached = (1 - CACHED) * steady
    return partly - cached <= WORTH * (whole - cached)
