"""Decide whether a judgment (evaluation) can be skipped or reused."""

from openkoi_hookspecs import Evaluation, Limits, Severity
from openkoi_hookspecs.lazy_dataclass import dataclass

from .aggregate_scores import weighted_mean
from .cache import CachedJudgment
from .changes_since import WorkChange
from .verdict import JudgeVerdict

TOLERANCE = 1e-9
# A partial judgment must cost at most this share of a full one, because a full one may have to follow (estimate).
MAX_PARTIAL_SHARE = 0.5

# Price of a token that is read from the vendor's cache, relative to the full price (Anthropic, OpenAI: 2026).
CACHED_PRICE_RATIO = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingRules:
    """The rules of a judgment.

    ``votes`` are requested within ``band`` of the threshold. A judgment is skipped when the last score reached
    ``confidence``, the checks pass, and at most ``small`` characters of diff were added. Scores are reduced by the
    certified ``lenient``; a judge found to overlook defects is ``tried`` with half of the work first.
    """

    votes: int
    band: float
    confidence: float
    small: int
    lenient: float = 0.0
    tried: bool = False


def is_skippable(before: CachedJudgment, change: WorkChange, known: Evaluation | None, rules: JudgingRules) -> bool:
    """Return whether an earlier verdict still applies after a small change with passing checks."""
    sure = weighted_mean(before.verdict) >= rules.confidence - TOLERANCE and not before.carried
    spotless = all(finding.severity is Severity.SUGGESTION for finding in before.verdict.findings)
    return sure and spotless and is_green(known) and len(change.text) <= rules.small


def is_green(known: Evaluation | None) -> bool:
    """Return whether required checks ran and all passed."""
    return known is not None and not known.failing and any(check.required for check in known.checks)


def is_acceptable(verdict: JudgeVerdict, known: Evaluation | None, limits: Limits) -> bool:
    """Return whether the work would be accepted with this verdict, which then must be a full one."""
    blocked = any(finding.severity is Severity.BLOCKER for finding in verdict.findings)
    if blocked or (known and (known.failing or known.blockers)):
        return False
    return weighted_mean(verdict) >= limits.quality_threshold - TOLERANCE


def is_worthwhile(partly: int, whole: int, steady: int) -> bool:
    """Return whether a partial request is short enough to pay off, although a full one may follow.

    Both start with the same ``steady`` characters, which the vendor has cached.
    """
    cached = (1 - CACHED_PRICE_RATIO) * steady
    return partly - cached <= MAX_PARTIAL_SHARE * (whole - cached)
