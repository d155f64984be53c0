"""Represent a finished run as something to learn from."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from openkoi_hookspecs import Finding, Result, Severity
from openkoi_settings import keys

from .entry import EntryEvidence, LearningEntry, name_of, short
from .evidence import IterationStep
from .words import PLAIN, Tongue, keys_in

TASK = 160


@dataclass(frozen=True, slots=True)
class Thresholds:
    """By how much a score has to fall, or how little it has to gain in the end, before a rule notices (LEARN-04)."""

    regression: float = keys.REGRESSION_DELTA.default
    plateau: float = keys.PLATEAU_DELTA.default


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


def make_entry(lesson: Lesson, kind: str, text: str, proof: EntryEvidence, **more: object) -> LearningEntry:
    """Return an entry from this run."""
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
    id = name_of(kind, said, str(facts["project"]))
    return LearningEntry(id, kind, said, **facts)  # type: ignore[arg-type]  # by field name


def proof_of(lesson: Lesson, number: int, finding: Finding | None, step: IterationStep) -> EntryEvidence:
    """Where it was seen, and what the checks said before and after."""
    rule, where, title = finding.key if finding else ("", "", "")
    diff = step.after.work.diff
    return EntryEvidence(
        run=lesson.run,
        iteration=number,
        rule=rule,
        where=where,
        finding=title,
        diff=sha256(diff.encode("utf-8", "replace")).hexdigest()[:12] if diff else "",
        before=tuple(sorted(step.old.failing)),
        after=tuple(sorted(step.new.failing)),
    )


def first_attempt_passed(result: Result) -> bool | None:
    """Return whether the first attempt was good enough, or None without judge and checks."""
    first = result.iterations[0].evaluation
    if first is None or first.red:
        return None if first is None else False
    if first.score is None:
        return True if first.green and not first.unavailable_reason else None
    return first.score >= result.task.effective_limits.quality_threshold


def first_findings(result: Result) -> Sequence[Finding]:
    """What was found wrong with the first attempt."""
    first = result.iterations[0].evaluation
    return [one for one in first.findings if one.severity is not Severity.SUGGESTION] if first else ()
