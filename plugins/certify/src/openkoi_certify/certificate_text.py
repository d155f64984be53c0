"""Format certificates as text."""

from collections.abc import Sequence

from .certificate import Certificate
from .judges import RubricAndJudge

PASSED, NOT_PASSED = "passed", "not passed"
STALE = "its rubric has changed since it was certified"


def format_certificate(certificate: Certificate) -> str:
    """Return the full text of a certificate."""
    m = certificate.measures
    drift = "first certificate" if certificate.drift is None else f"{certificate.drift:+.3f}"
    lines = [
        f"{certificate.rubric} with {certificate.model}: {PASSED if certificate.is_passed else NOT_PASSED}",
        f"  {len(m.scores)} samples (set {certificate.golden}), {certificate.votes} votes each, {certificate.at[:16]}",
        f"  planted defects found   {m.detection:7.1%}",
        f"  sound work rejected     {m.false_alarms:7.1%}",
        f"  deviation per sample    {m.spread:7.3f}   verdicts that change {m.flips:.1%}",
        f"  bias by length, order   {m.verbosity:7.3f} {m.position:.3f}",
        f"  injections obeyed       {m.obeyed:7.1%}   unreadable answers {m.unreadable:.1%}",
        f"  drift                   {drift:>7}",
        f"  best threshold          {m.bar:7.3f}   leniency {m.leniency:.3f}",
    ]
    return "\n".join([*lines, *(f"  - {reason}" for reason in certificate.reasons)])


def format_overview(judged: Sequence[RubricAndJudge], certificates: Sequence[Certificate]) -> str:
    """Return one line for each rubric and model with a certificate."""
    lines = []
    for one in judged:
        newest = {c.model: c for c in certificates if c.rubric == one.rubric.name}
        statuses = [format_standing(c, one.stamp) for c in newest.values()] or ["no certificate"]
        lines += [f"{one.rubric.name:16} {text}" for text in statuses]
    return "\n".join(lines)


def format_standing(certificate: Certificate, stamp: str) -> str:
    """Return a certificate's verdict in a line, and whether its rubric has changed."""
    verdict = PASSED if certificate.is_passed else NOT_PASSED
    m, stale = certificate.measures, "" if certificate.stamp == stamp else f"; {STALE}"
    figures = f"finds {m.detection:.0%}, rejects {m.false_alarms:.0%} of sound work"
    return f"{verdict:11} {certificate.model}, {certificate.at[:10]}: {figures}{stale}"
