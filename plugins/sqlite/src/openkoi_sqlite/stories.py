"""A run as it is remembered: what was asked, how it went and what was mended, in a few lines. Knows no database."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from openkoi_hookspecs import Evaluation, Finding, Mode, Record, Task
from openkoi_hookspecs.events import Evaluated, Iterated, RunCompleted, TaskStarted, Worked
from openkoi_recall.digest import digest

Key = tuple[str, str, str]


@dataclass(slots=True)
class Story:
    """What is read out of a run's records, oldest first. ``judged`` is what was said of each iteration."""

    task: Task | None = None
    ended: str = ""
    ending: RunCompleted | None = None
    scores: dict[int, float | None] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)
    evaluation: Evaluation | None = None
    judged: dict[int, Evaluation | None] = field(default_factory=dict)

    def take(self, record: Record) -> None:
        """Take the next record."""
        match record.event:
            case TaskStarted(task=task):
                self.task = self.task or task
            case Worked(work=work):
                self.files |= set(work.files)
            case Evaluated(evaluation=evaluation):
                self.evaluation = evaluation
            case Iterated(iteration=number, score=score):
                self.scores[number], self.judged[number], self.evaluation = score, self.evaluation, None
            case RunCompleted():
                self.ended, self.ending = record.at, record.event

    @property
    def score(self) -> float | None:
        """What the best iteration scored."""
        return self.scores.get(self.ending.best) if self.ending else None


def story(records: Iterable[Record]) -> Story:
    """Read a run's records, in whatever order they come."""
    told = Story()
    for record in sorted(records, key=lambda record: (record.at, record.id)):
        told.take(record)
    return told


def text_of(told: Story) -> str:
    """The words that a finished run is remembered by; none before it is finished."""
    if told.task is None or told.ending is None:
        return ""
    return digest(told.task.text, told.ending, told.score, mended(evaluation for _, evaluation in in_turn(told)))


def in_turn(told: Story) -> Iterator[tuple[int, Evaluation]]:
    """What was said of the iterations, in their order."""
    return ((number, judged) for number, judged in sorted(told.judged.items()) if judged)


def mended(evaluations: Iterable[Evaluation]) -> list[Finding]:
    """The findings that an iteration had and a later one had not, if anybody looked; in the order they were found."""
    found: list[Finding] = []
    open: dict[Key, int] = {}
    gone: list[int] = []
    for evaluation in evaluations:
        present = {finding.key for finding in evaluation.findings}
        if not evaluation.unknown and evaluation.mode is not Mode.SKIPPED:
            gone += [open.pop(key) for key in [*open] if key not in present]
        for finding in evaluation.findings:
            if finding.key not in open:
                open[finding.key] = len(found)
                found.append(finding)
    return [found[number] for number in sorted(gone)]
