"""Evaluators that ask no model: something has to be there, word for word or by a pattern. Each is a check."""

import re

from openkoi_hookspecs import Check, Evaluation, Finding, Mode
from openkoi_skillfile import Method, Rubric

from .extract import Extract

MOST = 100_000


def expectation(rubric: Rubric, facts: Extract) -> Evaluation:
    """A check for each thing that is expected, and a finding for each that is not there."""
    text = facts.named[rubric.of][:MOST]
    checks = tuple(Check(f"{rubric.name}: {one}", met(rubric.method, one, text)) for one in rubric.expect)
    missing = [one for one, check in zip(rubric.expect, checks, strict=True) if not check.passed]
    findings = tuple(
        Finding(f"{rubric.of} does not have what {rubric.name} expects: {one}", rule=rubric.name, fix=rubric.guide)
        for one in missing
    )
    return Evaluation(checks=checks, findings=findings, mode=Mode.FULL)


def met(method: Method, wanted: str, text: str) -> bool:
    """Whether it is there."""
    return bool(re.search(wanted, text, re.MULTILINE)) if method is Method.REGEX else wanted in text
