"""Find the one verdict in what a judge said. Where it is missing, incomplete or contradicted there is none.

Knows the rubric and the text; knows no models. Nothing here invents a number: what cannot be read raises Unreadable.
"""

import re
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass

from openkoi_hookspecs import Finding, Score, Severity

from .candidates import Candidate, answer, candidates
from .decode import decode
from .fence import storable
from .findings import read_findings
from .rubric import Rubric
from .scores import Unreadable, read_scores

WRAPPERS = ("evaluation", "verdict", "result", "output", "response")
OVERALL = ("overall", "overall_score", "score")
APART = 0.1
BLOCKER = re.compile(r"""["']blocker["']""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One vote: scores with the rubric's weights, and what was found. A ``partial`` one may lack findings."""

    scores: tuple[Score, ...]
    findings: tuple[Finding, ...] = ()
    _: KW_ONLY
    suggestion: str = ""
    note: str = ""
    partial: bool = False


def read_verdict(said: str, rubric: Rubric) -> Verdict:
    """Read the verdict. Objects that do not fit the rubric are passed over; those that fit have to agree."""
    verdicts: list[Verdict] = []
    wrong = "There is no JSON object with the scores in it."
    text = answer(said)
    for candidate in candidates(text):
        try:
            verdicts.append(one(candidate, rubric))
        except Unreadable as error:
            wrong = str(error)
    if not verdicts:
        raise Unreadable(wrong)
    if len(BLOCKER.findall(text)) > sum(map(blockers, verdicts)):
        raise Unreadable("A blocker is named that does not stand among the findings.")
    if any((other.scores, other.findings) != (verdicts[0].scores, verdicts[0].findings) for other in verdicts):
        raise Unreadable("There are several verdicts, and they contradict each other.")
    return verdicts[-1]


def blockers(verdict: Verdict) -> int:
    """How many findings of a verdict forbid acceptance."""
    return sum(finding.severity is Severity.BLOCKER for finding in verdict.findings)


def one(candidate: Candidate, rubric: Rubric) -> Verdict:
    """Read one object as a verdict."""
    found = decode(candidate.text, [dimension.key for dimension in rubric.dimensions])
    if found is None:
        raise Unreadable("The JSON is damaged." if candidate.whole else "The JSON was cut off.")
    found = inner(found)
    scores, findings = read_scores(found, rubric), read_findings(found.get("findings", found.get("issues")), rubric)
    return Verdict(
        scores,
        findings,
        suggestion=advice(found.get("suggestion")),
        note=contradiction(found, scores),
        partial=not candidate.whole,
    )


def inner(found: Mapping[str, object]) -> Mapping[str, object]:
    """Open an object whose only content is another one."""
    value = next(iter(found.values()), None)
    return value if isinstance(value, dict) and next(iter(found)) in WRAPPERS and len(found) == 1 else found


def advice(raw: object) -> str:
    """Take one line of advice."""
    return " ".join(storable(raw).split()) if isinstance(raw, str) else ""


def contradiction(found: Mapping[str, object], scores: tuple[Score, ...]) -> str:
    """Tell when the judge's own sum is far from its parts; the parts hold."""
    mean = sum(score.value * score.weight for score in scores) / sum(score.weight for score in scores)
    said = next((found[name] for name in OVERALL if name in found), mean)
    if isinstance(said, int | float) and 0 <= said <= 1 and abs(said - mean) > APART:
        return f"The judge gave {said:g} over all, its dimensions come to {mean:.2f}; the dimensions hold."
    return ""
