"""Find the one verdict in what a judge said. Where it is missing, incomplete or contradicted there is none.

Knows the rubric and the text; knows no models. Nothing here invents a number: what cannot be read raises Unreadable.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import KW_ONLY, dataclass

from openkoi_hookspecs import Finding, Score, Severity
from openkoi_skillfile import Rubric, canonical

from .candidates import Candidate, answer, candidates
from .decode import decode
from .fence import storable
from .findings import read_findings
from .instruction import CANARY
from .scores import Unreadable, number, read_scores, table

WRAPPERS = ("evaluation", "verdict", "result", "output", "response")
OVERALL = ("overall", "overall_score", "score")
APART = 0.1
NUMBERED = re.compile(r"[Ff]?(\d{1,4})", re.ASCII)
BLOCKER = re.compile(r"""["']blocker["']""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A vote: scores with the rubric's weights, and what was found. A ``partial`` one may lack findings.

    ``resolved`` are the numbers of those of the last judgement's findings that it holds to be mended. ``canary`` is
    what it gave the work as the answer to a task that was never set. One of several ``votes`` is their median.
    """

    scores: tuple[Score, ...]
    findings: tuple[Finding, ...] = ()
    _: KW_ONLY
    suggestion: str = ""
    note: str = ""
    partial: bool = False
    resolved: frozenset[int] = frozenset()
    canary: float = 0.0
    votes: int = 1


def read_verdict(said: str, rubric: Rubric, needed: Collection[str] | None = None) -> Verdict:
    """Read the verdict. Objects that do not fit the rubric are passed over; those that fit have to agree.

    With ``needed`` it need not score any other dimensions than these.
    """
    verdicts: list[Verdict] = []
    wrong = "There is no JSON object with the scores in it."
    text = answer(said)
    for candidate in candidates(text):
        try:
            verdicts.append(one(candidate, rubric, needed))
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


def one(candidate: Candidate, rubric: Rubric, needed: Collection[str] | None) -> Verdict:
    """Read one object as a verdict."""
    found = decode(candidate.text, [dimension.key for dimension in rubric.dimensions])
    if found is None:
        raise Unreadable("The JSON is damaged." if candidate.whole else "The JSON was cut off.")
    found = inner(found)
    scores = read_scores(found, rubric, needed)
    findings = read_findings(found.get("findings") or found.get("issues"), rubric)
    return Verdict(
        scores,
        findings,
        suggestion=advice(found.get("suggestion")),
        note=contradiction(found, scores),
        partial=not candidate.whole,
        resolved=numbers(found.get("resolved")),
        canary=canary(found),
    )


def canary(found: Mapping[str, object]) -> float:
    """What was given for what can have earned nothing; nought where nothing was said of it."""
    try:
        return max((number(CANARY, raw) for name, raw in table(found) if canonical(str(name)) == CANARY), default=0.0)
    except Unreadable:
        return 0.0


def numbers(raw: object) -> frozenset[int]:
    """Take whole numbers, also as ``F1`` or ``"1"``; what is none leaves its finding open."""
    several = raw if isinstance(raw, list) else []
    texts = (str(int(one) if isinstance(one, float) and one.is_integer() else one) for one in several)
    return frozenset(int(found[1]) for found in map(NUMBERED.fullmatch, texts) if found)


def inner(found: Mapping[str, object]) -> Mapping[str, object]:
    """Open an object whose only content is another one."""
    value = next(iter(found.values()), None)
    return value if isinstance(value, dict) and next(iter(found)) in WRAPPERS and len(found) == 1 else found


def advice(raw: object) -> str:
    """Take one line of advice."""
    return " ".join(storable(raw).split()) if isinstance(raw, str) else ""


def contradiction(found: Mapping[str, object], scores: tuple[Score, ...]) -> str:
    """Tell when the judge's own sum is far from its parts; the parts hold."""
    if not scores:
        return ""
    mean = sum(score.value * score.weight for score in scores) / sum(score.weight for score in scores)
    said = next((found[name] for name in OVERALL if name in found), mean)
    if isinstance(said, int | float) and 0 <= said <= 1 and abs(said - mean) > APART:
        return f"The judge gave {said:g} over all, its dimensions come to {mean:.2f}; the dimensions hold."
    return ""
