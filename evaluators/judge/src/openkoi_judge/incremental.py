"""Judge what changed since the last full judgment.

The judge scores the dimensions that the change affects; the others keep their scores, once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from openkoi_base.skillfile.evaluator import Rubric
from openkoi_hookspecs import ExecutionResult, Finding, Json
from openkoi_hookspecs.lazy_dataclass import dataclass

from .aggregate_scores import cap_scores
from .changes_since import WorkChange
from .evidence import MAX_RESPONSE_CHARACTERS, Evidence, format_finding, response_and_checks
from .system_prompt import CANARY, REMARKS, closed_object, finding_schema
from .verdict import JudgeVerdict

CORRECTNESS = "correctness"
PROSE_SUFFIXES = frozenset({".md", ".markdown", ".rst", ".txt", ".adoc", ".org", ".tex", ""})
PARTIAL_INSTRUCTIONS = (
    """\
You evaluated an earlier version of this work in full. Your verdict and the changes since then are quoted. Score only \
the dimensions that the changes affect, each for the work as it is now; the others keep their scores. List only new \
findings, and under "resolved" the numbers of the quoted findings that the change fixes.

Answer with one JSON object and nothing else:
{"scores": [{"dimension": "<name>", "score": <0.0 to 1.0>}], "resolved": [<numbers>], """
    + REMARKS
)


@dataclass(frozen=True, slots=True)
class PreviousVerdict:
    """The last full verdict, and the keys of the dimensions to score again."""

    verdict: JudgeVerdict
    needed: frozenset[str]

    def format(self, change: WorkChange, work: ExecutionResult) -> list[Evidence]:
        """Return the verdict, the change, and the response unless it is the change."""
        return [
            Evidence("verdict", format_verdict(self.verdict)),
            Evidence("change", change.text),
            *response_and_checks(work, MAX_RESPONSE_CHARACTERS if change.files else 0),
        ]

    def scoring_order(self, rubric: Rubric) -> str:
        """Return the dimensions that must always be scored."""
        names = [dimension.name for dimension in rubric.dimensions if dimension.key in self.needed]
        return f"\nAlways score: {', '.join([*names, CANARY])}.\n"


def format_verdict(verdict: JudgeVerdict) -> str:
    """Return a verdict as lines."""
    scores = [f"{score.dimension}: {score.value:g}" for score in verdict.scores]
    found = [f"{n}. {format_finding(one)}" for n, one in enumerate(verdict.findings, 1)]
    return "\n".join([*scores, "Findings:", *(found or ["none"])])


def partial_schema(rubric: Rubric) -> dict[str, Json]:
    """Return the answer format as a JSON Schema."""
    names: list[Json] = [*(dimension.name for dimension in rubric.dimensions), CANARY]
    score = closed_object({"dimension": {"type": "string", "enum": names}, "score": {"type": "number"}})
    numbers: Json = {"type": "array", "items": {"type": "integer"}}
    return closed_object({"scores": {"type": "array", "items": score}, "resolved": numbers, **finding_schema(rubric)})


def dimensions_to_rescore(rubric: Rubric, files: Sequence[str], carried: frozenset[str]) -> frozenset[str]:
    """Return the dimensions that cannot be carried over: those carried before, and for code correctness or the heaviest
    one.
    """
    code = not files or any(PurePosixPath(file).suffix.casefold() not in PROSE_SUFFIXES for file in files)
    weightiest = max(rubric.dimensions, key=lambda dimension: (dimension.key == CORRECTNESS, dimension.weight))
    return carried | {weightiest.key} if code else carried


def is_majority(rubric: Rubric, keys: Iterable[str]) -> bool:
    """Return whether these are more than half of a rubric's dimensions; then a full judgment is worth more."""
    return 2 * len(set(keys)) > len(rubric.dimensions)


def merge_verdicts(before: JudgeVerdict, now: JudgeVerdict, rubric: Rubric) -> JudgeVerdict:
    """Return the previous verdict with the new scores, without resolved findings."""
    fresh = {score.dimension: score for score in now.scores}
    left = [found for n, found in enumerate(before.findings, 1) if n not in now.resolved]
    scores = tuple(fresh.get(score.dimension, score) for score in before.scores)
    return cap_scores(replace(now, scores=scores, findings=deduplicate([*left, *now.findings])), rubric)


def deduplicate(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return each finding once."""
    return tuple({found.key: found for found in findings}.values())


def carried_dimensions(now: JudgeVerdict, rubric: Rubric) -> tuple[str, ...]:
    """Return the dimensions that were not scored again."""
    fresh = {score.dimension for score in now.scores}
    return tuple(dimension.name for dimension in rubric.dimensions if dimension.name not in fresh)
