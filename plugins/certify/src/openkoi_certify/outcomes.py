"""Read past judgments and the outcome of the judged work from the run log.

Work is *kept* if it was accepted and not changed since, *undone* if the user ran undo, *corrected* if another task
changed the same files in the same folder within an hour.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

from openkoi_hookspecs import Evaluation, EvaluationMode, NextAction, Record, events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import RunView, list_all_segments, read_segment

DISCARDED = (events.ControlOutcome.DICTATED, events.ControlOutcome.BLIND)
CORRECTION_WINDOW = timedelta(hours=1)  # estimate: later changes are usually new work


class UserOutcome(StrEnum):
    """What the user did with the work."""

    KEPT = "kept"
    UNDONE = "undone"
    CORRECTED = "corrected"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class CalibratedJudgment:
    """The last full judgment of a run: each vote's scores by dimension, and the outcome.

    ``checks_pass`` is whether required checks passed; None without any.
    """

    run: str
    at: str
    rubric: str
    model: str
    task: str
    votes: tuple[Mapping[str, float], ...]
    weights: Mapping[str, float]
    checks_pass: bool | None = None
    outcome: UserOutcome = UserOutcome.OPEN

    @property
    def totals(self) -> list[float]:
        """The weighted mean of each vote."""
        return [weighted_mean(vote, self.weights) for vote in self.votes]

    @property
    def score(self) -> float:
        """The median of the votes, as the judge takes it."""
        ordered = sorted(self.totals)
        return ordered[len(ordered) // 2]

    @property
    def dimensions(self) -> Mapping[str, float]:
        """The mean score of each dimension."""
        return {name: sum(vote.get(name, 0.0) for vote in self.votes) / len(self.votes) for name in self.weights}


def weighted_mean(scores: Mapping[str, float], weights: Mapping[str, float]) -> float:
    whole = sum(weights.get(name, 1.0) for name in scores)
    return sum(value * weights.get(name, 1.0) for name, value in scores.items()) / whole if whole else 0.0


@dataclass(slots=True)
class RunOutcome:
    """A run with its judgments."""

    view: RunView = field(default_factory=RunView)
    model: str = ""
    judgements: dict[str, CalibratedJudgment] = field(default_factory=dict)

    def add_record(self, record: Record) -> None:
        """Add the next record."""
        self.view.take(record)
        match record.event:
            case events.ModelResponse(model=model, role="evaluator"):
                self.model = model
            case events.JudgeVoted() as event:
                self.add_votes(record, event)

    def add_votes(self, record: Record, event: events.JudgeVoted) -> None:
        """Add a judge's votes, if it is a full judgment that was not discarded."""
        full = event.mode is EvaluationMode.FULL and event.votes and all(event.votes)
        if not full or event.control in DISCARDED:
            return
        weights = {score.dimension: score.weight for score in event.votes[0]}
        scores = tuple({score.dimension: score.value for score in vote} for vote in event.votes)
        self.judgements[event.rubric] = CalibratedJudgment(
            record.run, record.at, event.rubric, self.model, self.view.task.text, scores, weights
        )

    @property
    def is_accepted(self) -> bool:
        """Whether the work was accepted."""
        return self.view.decision == NextAction.ACCEPT

    @property
    def evaluation(self) -> Evaluation | None:
        """The last evaluation."""
        found = (one.evaluation for one in reversed(self.view.iterations))
        return next((evaluation for evaluation in found if evaluation), None)

    @property
    def checks_pass(self) -> bool | None:
        """Whether the required checks passed; None if there are none."""
        checks = self.evaluation.checks if self.evaluation else ()
        required = [check.passed for check in checks if check.required]
        return all(required) if required else None


def load_judgments(folder: Path) -> list[CalibratedJudgment]:
    """Return the last full judgments of finished runs, oldest first."""
    courses: dict[str, RunOutcome] = {}
    for path in list_all_segments(folder):
        for record in read_segment(path):
            courses.setdefault(record.run, RunOutcome()).add_record(record)
    return collect_judgments(courses.values())


def collect_judgments(courses: Iterable[RunOutcome]) -> list[CalibratedJudgment]:
    """Return the runs' judgments with their outcomes."""
    finished = (course for course in courses if course.view.completed and course.evaluation)
    ended = sorted(finished, key=lambda course: course.view.at)
    found = [
        replace(one, outcome=find_outcome(course, ended[n + 1 :]), checks_pass=course.checks_pass)
        for n, course in enumerate(ended)
        for one in course.judgements.values()
    ]
    return sorted(found, key=lambda one: one.at)


def find_outcome(course: RunOutcome, later: Sequence[RunOutcome]) -> UserOutcome:
    """Return what the user did with a run's work."""
    if course.view.checkpoints.rejected:
        return UserOutcome.UNDONE
    if course.view.undone:
        return UserOutcome.OPEN
    if any(is_correction(other, course) for other in later):
        return UserOutcome.CORRECTED
    return UserOutcome.KEPT if course.is_accepted else UserOutcome.OPEN


def is_correction(other: RunOutcome, course: RunOutcome) -> bool:
    """Return whether a later run changed the same files soon enough to count as a correction."""
    later, view = other.view, course.view
    same = later.workspace == view.workspace and later.files & view.files and not later.undone
    return (
        bool(same) and datetime.fromisoformat(later.at) - datetime.fromisoformat(view.completed_at) <= CORRECTION_WINDOW
    )
