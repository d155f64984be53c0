"""What was judged, and what became of it, read from the run log. Knows events; knows no judge.

Work is *kept* when it was accepted and left alone, *undone* when a person took it back, *corrected* when another task
changed the same files in the same folder within an hour.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

from openkoi_hookspecs import Evaluation, EvaluationMode, NextAction, Record, events
from openkoi_runlog import RunView, all_segments, read_segment

DISCARDED = (events.ControlOutcome.DICTATED, events.ControlOutcome.BLIND)
SOON = timedelta(hours=1)


class UserOutcome(StrEnum):
    """What the user did with the work."""

    KEPT = "kept"
    UNDONE = "undone"
    CORRECTED = "corrected"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class CalibratedJudgment:
    """The last full judgement of one run: each vote's scores by dimension, and what became of the work.

    ``green`` tells whether required checks passed; None when there were none.
    """

    run: str
    at: str
    rubric: str
    model: str
    task: str
    votes: tuple[Mapping[str, float], ...]
    weights: Mapping[str, float]
    green: bool | None = None
    outcome: UserOutcome = UserOutcome.OPEN

    @property
    def totals(self) -> list[float]:
        """The weighted mean of each vote."""
        return [weighted_mean(vote, self.weights) for vote in self.votes]

    @property
    def score(self) -> float:
        """Their median, as the judge takes it."""
        ordered = sorted(self.totals)
        return ordered[len(ordered) // 2]

    @property
    def dimensions(self) -> Mapping[str, float]:
        """The mean of each dimension."""
        return {name: sum(vote.get(name, 0.0) for vote in self.votes) / len(self.votes) for name in self.weights}


def weighted_mean(scores: Mapping[str, float], weights: Mapping[str, float]) -> float:
    whole = sum(weights.get(name, 1.0) for name in scores)
    return sum(value * weights.get(name, 1.0) for name, value in scores.items()) / whole if whole else 0.0


@dataclass(slots=True)
class RunOutcome:
    """One run with the judges' own accounts, and whether its changes were undone."""

    view: RunView = field(default_factory=RunView)
    model: str = ""
    before: str = ""
    restored: str = ""
    judgements: dict[str, CalibratedJudgment] = field(default_factory=dict)

    def take(self, record: Record) -> None:
        """Take one record in."""
        self.view.take(record)
        match record.event:
            case events.ModelResponse(model=model, role="evaluator"):
                self.model = model
            case events.BaselineSaved(checkpoint=checkpoint):
                self.before = self.before or checkpoint
            case events.WorkspaceRestored(checkpoint=checkpoint):
                self.restored = checkpoint
            case events.JudgeVoted() as event:
                self.note(record, event)

    def note(self, record: Record, event: events.JudgeVoted) -> None:
        """Keep a judge's own account, if it is one of a full judgement."""
        full = event.mode is EvaluationMode.FULL and event.votes and all(event.votes)
        if not full or event.control in DISCARDED:
            return
        weights = {score.dimension: score.weight for score in event.votes[0]}
        scores = tuple({score.dimension: score.value for score in vote} for vote in event.votes)
        self.judgements[event.rubric] = CalibratedJudgment(
            record.run, record.at, event.rubric, self.model, self.view.task.text, scores, weights
        )

    @property
    def undone(self) -> bool:
        return bool(self.before) and self.restored == self.before

    @property
    def accepted(self) -> bool:
        """Whether the work was accepted."""
        return self.view.decision == NextAction.ACCEPT

    @property
    def evaluation(self) -> Evaluation | None:
        """The last evaluation."""
        found = (one.evaluation for one in reversed(self.view.iterations))
        return next((evaluation for evaluation in found if evaluation), None)

    @property
    def green(self) -> bool | None:
        """Whether the required checks passed; None where there were none."""
        checks = self.evaluation.checks if self.evaluation else ()
        required = [check.passed for check in checks if check.required]
        return all(required) if required else None


def judgements_in(folder: Path) -> list[CalibratedJudgment]:
    """All last full judgements of runs that ended, oldest first."""
    courses: dict[str, RunOutcome] = {}
    for path in all_segments(folder):
        for record in read_segment(path):
            courses.setdefault(record.run, RunOutcome()).take(record)
    return collect_judgments(courses.values())


def collect_judgments(courses: Iterable[RunOutcome]) -> list[CalibratedJudgment]:
    """Their judgements, with what became of the work."""
    over = (course for course in courses if course.view.completed and course.evaluation)
    ended = sorted(over, key=lambda course: course.view.at)
    found = [
        replace(one, outcome=outcome(course, ended[n + 1 :]), green=course.green)
        for n, course in enumerate(ended)
        for one in course.judgements.values()
    ]
    return sorted(found, key=lambda one: one.at)


def outcome(course: RunOutcome, later: Sequence[RunOutcome]) -> UserOutcome:
    """What became of a run's work."""
    if course.undone:
        return UserOutcome.UNDONE
    if any(corrects(other, course) for other in later):
        return UserOutcome.CORRECTED
    return UserOutcome.KEPT if course.accepted else UserOutcome.OPEN


def corrects(other: RunOutcome, course: RunOutcome) -> bool:
    """Return whether a later run changed the same files so soon that it corrected them."""
    later, view = other.view, course.view
    same = later.workspace == view.workspace and later.files & view.files and not other.undone
    return bool(same) and datetime.fromisoformat(later.at) - datetime.fromisoformat(view.completed_at) <= SOON
