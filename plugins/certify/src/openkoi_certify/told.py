"""Certificates in words. Knows lines; knows no terminal."""

from collections.abc import Sequence

from .certificate import Certificate
from .judges import RubricAndJudge

PASSED, NOT_PASSED = "passed", "not passed"
STALE = "its rubric has changed since"


def page(certificate: Certificate) -> str:
    """All that a certificate says."""
    m = certificate.measures
    drift = "first certificate" if certificate.drift is None else f"{certificate.drift:+.3f}"
    lines = [
        f"{certificate.rubric} with {certificate.model}: {PASSED if certificate.passed else NOT_PASSED}",
        f"  {len(m.scores)} samples (set {certificate.golden}), {certificate.votes} votes each, {certificate.at[:16]}",
        f"  planted defects found   {m.detection:7.1%}",
        f"  sound work rejected     {m.false_alarms:7.1%}",
        f"  spread of one score     {m.spread:7.3f}   verdicts that flip {m.flips:.1%}",
        f"  bias by length, order   {m.verbosity:7.3f} {m.position:.3f}",
        f"  obeyed the work         {m.obeyed:7.1%}   unreadable {m.unreadable:.1%}",
        f"  drift                   {drift:>7}",
        f"  best border             {m.bar:7.3f}   leniency {m.leniency:.3f}",
    ]
    return "\n".join([*lines, *(f"  - {reason}" for reason in certificate.reasons)])


def overview(judged: Sequence[RubricAndJudge], certificates: Sequence[Certificate]) -> str:
    """One line for each rubric, and one for each model that it was certified with."""
    lines = []
    for one in judged:
        newest = {c.model: c for c in certificates if c.rubric == one.rubric.name}
        told = [standing(c, one.stamp) for c in newest.values()] or ["no certificate"]
        lines += [f"{one.rubric.name:16} {text}" for text in told]
    return "\n".join(lines)


def standing(certificate: Certificate, stamp: str) -> str:
    """What a certificate is worth today."""
    verdict = PASSED if certificate.passed else NOT_PASSED
    m, stale = certificate.measures, "" if certificate.stamp == stamp else f"; {STALE}"
    figures = f"finds {m.detection:.0%}, rejects {m.false_alarms:.0%} of the sound"
    return f"{verdict:11} {certificate.model}, {certificate.at[:10]}: {figures}{stale}"
