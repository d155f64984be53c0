"""A run as it is remembered: what was asked, how it went and what was mended, in a few lines. Knows no database."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from openkoi_hookspecs import Decision, Evaluation, Finding, Mode, Record, Task
from openkoi_hookspecs.events import Evaluated, Iterated, RunCompleted, TaskStarted, Worked

ASKED, MENDED, MOST = 600, 160, 5
ENDS = {
    Decision.ACCEPT: "Accepted",
    Decision.ACCEPT_BEST: "The best of it was kept, short of the quality asked for,",
    Decision.ESCALATE: "A person was needed",
    Decision.ABORT_BUDGET: "The budget ended it",
    Decision.ABORT_TIMEOUT: "The time limit ended it",
    Decision.ABORT_REGRESSION: "Given up because it got worse",
    Decision.ABORT_LOOP: "Given up because it went in circles",
}
Key = tuple[str, str, str]


@dataclass(slots=True)
class Story:
    """What is read out of a run's records, oldest first."""

    task: Task | None = None
    ended: str = ""
    ending: RunCompleted | None = None
    scores: dict[int, float | None] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)
    open: dict[Key, Finding] = field(default_factory=dict)
    mended: list[Finding] = field(default_factory=list)

    def take(self, record: Record) -> None:
        """Take the next record."""
        match record.event:
            case TaskStarted(task=task):
                self.task = self.task or task
            case Worked(work=work):
                self.files |= set(work.files)
            case Evaluated(evaluation=evaluation):
                self.judge(evaluation)
            case Iterated(iteration=number, score=score):
                self.scores[number] = score
            case RunCompleted():
                self.ended, self.ending = record.at, record.event

    def judge(self, evaluation: Evaluation) -> None:
        """What is not found any more is mended, if anybody looked."""
        found = {finding.key: finding for finding in evaluation.findings}
        if not evaluation.unknown and evaluation.mode is not Mode.SKIPPED:
            gone = [key for key in self.open if key not in found]
            self.mended += [self.open.pop(key) for key in gone]
        self.open = found | self.open

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
    return "\n".join(lines(told)) if told.task and told.ending else ""


def lines(told: Story) -> Iterator[str]:
    if told.task and told.ending:
        yield cut(told.task.text, ASKED)
        yield how_it_went(told.ending, told.score)
        if told.mended:
            yield f"Mended on the way: {'; '.join(map(remedy, first(told.mended)))}."


def how_it_went(ending: RunCompleted, score: float | None) -> str:
    times = "1 iteration" if ending.iterations == 1 else f"{ending.iterations} iterations"
    judged = "" if score is None else f", scored {score:.2f}"
    return f"{ENDS.get(ending.ruling.decision, 'Ended')} after {times}{judged}."


def first(findings: Sequence[Finding]) -> Sequence[Finding]:
    return findings[:MOST]


def remedy(finding: Finding) -> str:
    """A finding, where it was, and what mended it."""
    where = f" ({finding.where})" if finding.where else ""
    fix = f": {finding.fix.rstrip('.')}" if finding.fix else ""
    return cut(f"{finding.title.rstrip('.')}{where}{fix}", MENDED)


def cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"
