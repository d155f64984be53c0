"""Rubrics that ask no model: something has to be there, word for word or by a pattern. Each is a check.

The score is the share of what is expected that is there: whoever wrote the rubric wants the work weighed by that alone.
"""

import re

from openkoi_hookspecs import Check, Evaluation, Finding, Mode, Score
from openkoi_skillfile import Method, Rubric

from .extract import Extract

MOST = 100_000


def expectation(rubric: Rubric, facts: Extract) -> Evaluation:
    """A check for each thing that is expected, a finding for each that is not there, and the share that is."""
    text = facts.named[rubric.of][:MOST]
    checks = tuple(Check(f"{rubric.name}: {one}", met(rubric.method, one, text)) for one in rubric.expect)
    missing = [one for one, check in zip(rubric.expect, checks, strict=True) if not check.passed]
    findings = tuple(
        Finding(f"{rubric.of} does not have what {rubric.name} expects: {one}", rule=rubric.name, fix=rubric.guide)
        for one in missing
    )
    scores = (Score(rubric.name, sum(check.passed for check in checks) / len(checks)),) if checks else ()
    return Evaluation(checks=checks, scores=scores, findings=findings, mode=Mode.FULL)


def met(method: Method, wanted: str, text: str) -> bool:
    """Whether it is there."""
    return bool(re.search(wanted, text, re.MULTILINE)) if method is Method.REGEX else wanted in text
