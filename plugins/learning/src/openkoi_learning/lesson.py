"""Represent a finished run as something to learn from."""

from collections.abc import Sequence
from hashlib import sha256

from openkoi_hookspecs import Finding, Result, Severity
from openkoi_hookspecs.lazy_dataclass import dataclass

from .entry import EntryEvidence, LearningEntry, entry_id, shorten
from .evidence import IterationStep, is_same_evaluator
from .text_similarity import keys_in
from .thresholds import Thresholds

MAX_TASK_CHARACTERS = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A finished run to learn from.

    ``answers`` are the user's answers in it, with their questions; ``messages`` are what the user wrote to it.
    """

    run: str
    result: Result
    project: str = ""
    at: str = ""
    answers: Sequence[tuple[str, str]] = ()
    messages: Sequence[str] = ()
    thresholds: Thresholds = Thresholds()

    @property
    def task(self) -> str:
        """The task, shortened."""
        return shorten(self.result.task.text, MAX_TASK_CHARACTERS)


def make_entry(lesson: Lesson, kind: str, text: str, proof: EntryEvidence, **more: object) -> LearningEntry:
    """Return an entry from this run."""
    line = shorten(text)
    fields: dict[str, object] = {
        "when": (lesson.task,),
        "keys": keys_in(" ".join((line, proof.rule, proof.where))),
        "project": lesson.project,
        "category": lesson.result.task.category,
        "proofs": (proof,),
        "since": lesson.at,
        **more,
    }
    id = entry_id(kind, line, str(fields["project"]))
    return LearningEntry(id, kind, line, **fields)  # type: ignore[arg-type]  # by field name


def make_evidence(lesson: Lesson, number: int, finding: Finding | None, step: IterationStep) -> EntryEvidence:
    """Return where a finding was seen, and the failing checks before and after."""
    rule, where, title = finding.key if finding else ("", "", "")
    diff = step.after.work.diff
    fixed = [check for check in step.old.checks if check.name in step.fixed_checks]
    return EntryEvidence(
        run=lesson.run,
        iteration=number,
        rule=rule,
        where=where,
        finding=title,
        diff=sha256(diff.encode("utf-8", "replace")).hexdigest()[:12] if diff else "",
        before=tuple(sorted(step.old.failing)),
        after=tuple(sorted(step.new.failing)),
        checked=finding is not None and any(is_same_evaluator(check, finding) for check in fixed),
    )


def first_attempt_passed(result: Result) -> bool | None:
    """Return whether the first attempt was good enough; None if there was no judge and no check."""
    first = result.iterations[0].evaluation
    if first is None or first.red:
        return None if first is None else False
    if first.score is None:
        return True if first.green and not first.unavailable_reason else None
    return first.score >= result.task.effective_limits.quality_threshold


def first_findings(result: Result) -> Sequence[Finding]:
    """Return the findings about the first attempt."""
    first = result.iterations[0].evaluation
    return [one for one in first.findings if one.severity is not Severity.SUGGESTION] if first else ()
