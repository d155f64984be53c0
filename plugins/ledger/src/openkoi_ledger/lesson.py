"""A run that is over, as something to learn from. Knows results; knows no ledger and no rule."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise

from openkoi_hookspecs import Evaluation, Finding, Iteration, Result, Severity

from .entry import Entry, Proof, name_of, short
from .words import PLAIN, Tongue, keys_in

TASK = 160


@dataclass(frozen=True, slots=True)
class Thresholds:
    """By how much a score has to fall, or how little it has to gain in the end, before a rule notices (LEARN-04)."""

    regression: float = 0.1
    plateau: float = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A run that is over. ``answers`` are what a person was asked and said in it, ``tongue`` is how
    people speak in its project."""

    run: str
    result: Result
    project: str = ""
    at: str = ""
    answers: Sequence[tuple[str, str]] = ()
    tongue: Tongue = PLAIN
    thresholds: Thresholds = Thresholds()

    @property
    def task(self) -> str:
        """The task in short."""
        return short(self.result.task.text, TASK)


def noted(lesson: Lesson, kind: str, text: str, proof: Proof, **more: object) -> Entry:
    """An entry from this run."""
    said = short(text)
    facts: dict[str, object] = {
        "when": (lesson.task,),
        "keys": keys_in(" ".join((said, proof.rule, proof.where))),
        "project": lesson.project,
        "category": lesson.result.task.category,
        "proofs": (proof,),
        "since": lesson.at,
        **more,
    }
    return Entry(name_of(kind, said, lesson.project), kind, said, **facts)  # type: ignore[arg-type]  # by field name


def judged(lesson: Lesson) -> Iterator[tuple[int, Iteration, Evaluation, Iteration, Evaluation]]:
    """Each two iterations in a row that both have a score, and the number of the second."""
    for number, (before, after) in enumerate(pairwise(lesson.result.iterations), 1):
        old, new = before.evaluation, after.evaluation
        if old is not None and new is not None and old.score is not None and new.score is not None:
            yield number, before, old, after, new


def proof_of(
    lesson: Lesson, number: int, finding: Finding | None, after: Iteration, old: Evaluation, new: Evaluation
) -> Proof:
    """Where it was seen, and what the checks said before and after."""
    rule, where, title = finding.key if finding else ("", "", "")
    return Proof(
        run=lesson.run,
        iteration=number,
        rule=rule,
        where=where,
        finding=title,
        diff=sha256(after.work.diff.encode("utf-8", "replace")).hexdigest()[:12] if after.work.diff else "",
        before=tuple(sorted(old.failing)),
        after=tuple(sorted(new.failing)),
    )


def passed(result: Result) -> bool | None:
    """Whether the first attempt was good enough; None when nobody judged it."""
    first = result.iterations[0].evaluation
    if first is None or first.score is None:
        return None
    return not first.failing and not first.blockers and first.score >= result.task.limits.quality


def first_findings(result: Result) -> Sequence[Finding]:
    """What was found wrong with the first attempt."""
    first = result.iterations[0].evaluation
    return [one for one in first.findings if one.severity is not Severity.SUGGESTION] if first else ()
