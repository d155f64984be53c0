"""Parse the verdict (JSON) in a judge's response; reject a missing, incomplete or contradictory one.

No number is ever invented: anything unreadable raises UnreadableError.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import KW_ONLY

from openkoi_base.skillfile.evaluator import Rubric, canonical_name
from openkoi_hookspecs import Finding, Score, Severity
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .decode import parse_object
from .findings import parse_findings
from .json_extract import JsonCandidate, find_candidates, strip_reasoning
from .quoting import replace_surrogates
from .scores import UnreadableError, find_score_table, parse_score, parse_scores
from .system_prompt import CANARY

WRAPPERS = ("evaluation", "verdict", "result", "output", "response")
OVERALL = ("overall", "overall_score", "score")
MAX_OVERALL_DIFFERENCE = 0.1  # a judge's overall score that differs more from its scores' mean is reported (estimate)
NUMBERED = lazy_pattern(r"[Ff]?(\d{1,4})", re.ASCII)
BLOCKER = lazy_pattern(r"""["']blocker["']""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class JudgeVerdict:
    """A vote: scores with the rubric's weights, and findings; a ``partial`` one may lack findings.

    ``resolved`` are the numbers of earlier findings that are fixed. ``canary`` is the score for an unrelated task. One
    of several ``votes`` is their median.
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


def parse_verdict(answer: str, rubric: Rubric, needed: Collection[str] | None = None) -> JudgeVerdict:
    """Parse the verdict; objects that do not match the rubric are skipped, and matching ones must agree.

    With ``needed``, only these dimensions must be scored.
    """
    verdicts: list[JudgeVerdict] = []
    wrong = "The JSON object with the scores is missing."
    text = strip_reasoning(answer)
    for candidate in find_candidates(text):
        try:
            verdicts.append(parse_candidate(candidate, rubric, needed))
        except UnreadableError as error:
            wrong = str(error)
    if not verdicts:
        raise UnreadableError(wrong)
    if len(BLOCKER.findall(text)) > sum(map(count_blockers, verdicts)):
        raise UnreadableError("The text mentions a blocker that is not among the findings.")
    if any((other.scores, other.findings) != (verdicts[0].scores, verdicts[0].findings) for other in verdicts):
        raise UnreadableError("The verdicts contradict each other.")
    return verdicts[-1]


def count_blockers(verdict: JudgeVerdict) -> int:
    """Return the number of blockers."""
    return sum(finding.severity is Severity.BLOCKER for finding in verdict.findings)


def parse_candidate(candidate: JsonCandidate, rubric: Rubric, needed: Collection[str] | None) -> JudgeVerdict:
    """Parse one object as a verdict."""
    found = parse_object(candidate.text, [dimension.key for dimension in rubric.dimensions])
    if found is None:
        raise UnreadableError("The JSON is malformed." if candidate.whole else "The JSON was cut off.")
    found = unwrap_object(found)
    scores = parse_scores(found, rubric, needed)
    findings = parse_findings(found.get("findings") or found.get("issues"), rubric)
    return JudgeVerdict(
        scores,
        findings,
        suggestion=parse_suggestion(found.get("suggestion")),
        note=describe_contradiction(found, scores),
        partial=not candidate.whole,
        resolved=parse_finding_numbers(found.get("resolved")),
        canary=parse_canary(found),
    )


def parse_canary(found: Mapping[str, object]) -> float:
    """Return the score for the unrelated task, zero if missing."""
    try:
        return max(
            (parse_score(CANARY, raw) for name, raw in find_score_table(found) if canonical_name(str(name)) == CANARY),
            default=0.0,
        )
    except UnreadableError:
        return 0.0


def parse_finding_numbers(raw: object) -> frozenset[int]:
    """Parse whole numbers, also as ``F1`` or ``"1"``; ignore others, whose findings stay open."""
    several = raw if isinstance(raw, list) else []
    texts = (str(int(one) if isinstance(one, float) and one.is_integer() else one) for one in several)
    return frozenset(int(found[1]) for found in map(NUMBERED.fullmatch, texts) if found)


def unwrap_object(found: Mapping[str, object]) -> Mapping[str, object]:
    """Return the inner object of one that only wraps it."""
    value = next(iter(found.values()), None)
    return value if isinstance(value, dict) and next(iter(found)) in WRAPPERS and len(found) == 1 else found


def parse_suggestion(raw: object) -> str:
    """Return the suggestion as one line."""
    return " ".join(replace_surrogates(raw).split()) if isinstance(raw, str) else ""


def describe_contradiction(found: Mapping[str, object], scores: tuple[Score, ...]) -> str:
    """Return a note when the judge's overall score is far from the weighted mean."""
    if not scores:
        return ""
    mean = sum(score.value * score.weight for score in scores) / sum(score.weight for score in scores)
    overall = next((found[name] for name in OVERALL if name in found), mean)
    if isinstance(overall, int | float) and 0 <= overall <= 1 and abs(overall - mean) > MAX_OVERALL_DIFFERENCE:
        return (
            f"The judge's overall score {overall:g} differs from the mean of its dimensions, {mean:.2f}; "
            "the dimensions are used."
        )
    return ""
