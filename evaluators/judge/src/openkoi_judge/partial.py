"""A judgement of what changed since the last full one. Knows verdicts and rubrics; knows no files, runs or models.

The judge names the dimensions that the change affects by scoring them; the others keep their scores, once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from openkoi_hookspecs import ExecutionResult, Finding, Json
from openkoi_skillfile import Rubric

from .evidence import WORDS, Evidence, finding, said
from .instruction import CANARY, REMARKS, closed, remarks
from .since import Change
from .verdict import Verdict
from .votes import capped

CORRECTNESS = "correctness"
PROSE = frozenset({".md", ".markdown", ".rst", ".txt", ".adoc", ".org", ".tex", ""})
PARTIAL = (
    """\
You have judged an earlier state of this work in full. That verdict is quoted, and so is what changed since. Score \
only the dimensions that the change affects, each for the work as it is now; the others keep their scores. List only \
new findings, and under "resolved" the numbers of the quoted findings that the change fixes.

Answer with one JSON object and nothing else:
{"scores": [{"dimension": "<name>", "score": <0.0 to 1.0>}], "resolved": [<numbers>], """
    + REMARKS
)


@dataclass(frozen=True, slots=True)
class Before:
    """The last full verdict, and the keys of the dimensions that have to be scored again."""

    verdict: Verdict
    needed: frozenset[str]

    def shown(self, change: Change, work: ExecutionResult) -> list[Evidence]:
        """What the judge sees: its verdict, what changed since, and the words about it, unless they are the change."""
        return [
            Evidence("verdict", held(self.verdict)),
            Evidence("change", change.text),
            *said(work, WORDS if change.files else 0),
        ]

    def order(self, rubric: Rubric) -> str:
        """Which dimensions have to be scored whatever the judge makes of the change."""
        names = [dimension.name for dimension in rubric.dimensions if dimension.key in self.needed]
        return f"\nAlways score: {', '.join([*names, CANARY])}.\n"


def held(verdict: Verdict) -> str:
    """A verdict in lines."""
    scores = [f"{score.dimension}: {score.value:g}" for score in verdict.scores]
    found = [f"{n}. {finding(one)}" for n, one in enumerate(verdict.findings, 1)]
    return "\n".join([*scores, "Findings:", *(found or ["none"])])


def partial_schema(rubric: Rubric) -> dict[str, Json]:
    """The shape of the answer as a JSON Schema."""
    names: list[Json] = [*(dimension.name for dimension in rubric.dimensions), CANARY]
    score = closed({"dimension": {"type": "string", "enum": names}, "score": {"type": "number"}})
    numbers: Json = {"type": "array", "items": {"type": "integer"}}
    return closed({"scores": {"type": "array", "items": score}, "resolved": numbers, **remarks(rubric)})


def needed(rubric: Rubric, files: Sequence[str], carried: frozenset[str]) -> frozenset[str]:
    """What cannot be carried: what was carried already, and correctness, or what weighs most, when code changed.

    Without files the words are the work, and may be code.
    """
    code = not files or any(PurePosixPath(file).suffix.casefold() not in PROSE for file in files)
    weightiest = max(rubric.dimensions, key=lambda dimension: (dimension.key == CORRECTNESS, dimension.weight))
    return carried | {weightiest.key} if code else carried


def most(rubric: Rubric, keys: Iterable[str]) -> bool:
    """Whether these are more than half of a rubric's dimensions: then a full judgement is worth more."""
    return 2 * len(set(keys)) > len(rubric.dimensions)


def updated(before: Verdict, now: Verdict, rubric: Rubric) -> Verdict:
    """The verdict of before with what was judged anew; findings that are mended go."""
    fresh = {score.dimension: score for score in now.scores}
    left = [found for n, found in enumerate(before.findings, 1) if n not in now.resolved]
    scores = tuple(fresh.get(score.dimension, score) for score in before.scores)
    return capped(replace(now, scores=scores, findings=distinct([*left, *now.findings])), rubric)


def distinct(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Each finding once."""
    return tuple({found.key: found for found in findings}.values())


def stale(now: Verdict, rubric: Rubric) -> tuple[str, ...]:
    """The dimensions that were not judged anew."""
    fresh = {score.dimension for score in now.scores}
    return tuple(dimension.name for dimension in rubric.dimensions if dimension.name not in fresh)
