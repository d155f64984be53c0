"""The tables of an export, told from records. Pure; knows events and their order, and no file."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from openkoi_hookspecs import Evaluation, Finding, Mode, Record, Ruling, events
from openkoi_report.ledger import Books

from .rows import CostRow, FindingRow, IterationRow, LearningRow, Tables, TaskRow

FAILED = "failed"
Key = tuple[str, str, str]


@dataclass(slots=True)
class Turn:
    """An iteration that is over."""

    event: events.Iterated
    at: str
    evaluation: Evaluation | None
    ruling: Ruling | None = None


@dataclass(slots=True)
class Story:
    """A run, as far as it is told."""

    run: str
    at: str
    start: events.TaskStarted
    turns: dict[int, Turn] = field(default_factory=dict)
    evaluation: Evaluation | None = None
    ended: str = ""
    result: events.RunCompleted | None = None
    failure: str = ""

    def take(self, record: Record) -> None:
        """Take the next event of the run."""
        match record.event:
            case events.Evaluated(evaluation=evaluation):
                self.evaluation = evaluation
            case events.Iterated(iteration=number) as event:
                self.turns[number] = Turn(event, record.at, self.evaluation)
                self.evaluation = None
            case events.Decided(iteration=number, ruling=ruling) if number in self.turns:
                self.turns[number].ruling = ruling
            case events.RunCompleted() as result:
                self.ended, self.result, self.failure = record.at, result, ""
            case events.RunFailed(reason=reason):
                self.ended, self.result, self.failure = record.at, None, reason

    @property
    def row(self) -> TaskRow:
        """The task's row."""
        task, result = self.start.task, self.result
        best = self.turns.get(result.best) if result else None
        return TaskRow(
            id=self.run,
            parent=task.parent,
            session=task.session,
            project=task.project,
            category=task.category,
            channel=task.channel,
            model=self.start.model,
            text=task.text,
            started=self.at,
            ended=self.ended,
            decision=str(result.ruling.decision) if result else FAILED if self.ended else "",
            reason=result.ruling.reason if result else self.failure,
            score=best.event.score if best else None,
            iterations=result.iterations if result else len(self.turns),
            tokens=result.spent.tokens if result else 0,
            usd=result.spent.usd if result else 0.0,
        )


def tables_of(records: Iterable[Record]) -> Tables:
    """Read records in the order of the log."""
    stories: dict[str, Story] = {}
    learned: dict[str, LearningRow] = {}
    books = Books()
    for record in records:
        books.take(record)
        if isinstance(record.event, events.TaskStarted):
            stories.setdefault(record.run, Story(record.run, record.at, record.event))
        if isinstance(record.event, events.LearningSaved):
            keep_latest(learned, learning_row(record, record.event))
        if story := stories.get(record.run):
            story.take(record)
    return Tables(
        tasks=[story.row for story in stories.values()],
        iterations=[iteration_row(story.run, turn) for story in stories.values() for turn in story.turns.values()],
        findings=[row for story in stories.values() for row in finding_rows(story)],
        learnings=list(learned.values()),
        costs=list(cost_rows(books)),
    )


def keep_latest(learned: dict[str, LearningRow], row: LearningRow) -> None:
    """A learning stands as it was last saved."""
    before = learned.get(row.id)
    if before is None or before.saved <= row.saved:
        learned[row.id] = row


def learning_row(record: Record, event: events.LearningSaved) -> LearningRow:
    """A learning's row."""
    one = event.learning
    return LearningRow(
        id=one.id,
        kind=one.kind,
        text=one.text,
        keys=one.keys,
        scope=one.scope,
        origin=one.origin,
        standing=str(one.standing),
        shown=one.shown,
        helpful=one.helpful,
        harmful=one.harmful,
        confidence=one.confidence,
        last_used=one.last_used,
        expires_at=one.expires_at,
        quoted=one.quoted,
        superseded_by=one.superseded_by,
        evidence=one.evidence,
        task=record.run,
        saved=record.at,
    )


def iteration_row(run: str, turn: Turn) -> IterationRow:
    """An iteration's row."""
    event, ruling = turn.event, turn.ruling
    return IterationRow(
        task=run,
        iteration=event.iteration,
        score=event.score,
        decision=str(ruling.decision) if ruling else "",
        reason=ruling.reason if ruling else "",
        evaluation=str(event.mode),
        tokens=event.spent.tokens,
        usd=event.spent.usd,
        seconds=event.spent.seconds,
        ended=turn.at,
    )


def finding_rows(story: Story) -> Iterator[FindingRow]:
    """Each finding once, from where it was found to where it was gone; one that comes back is a new one."""
    open: dict[Key, tuple[int, Finding]] = {}
    for number, turn in sorted(story.turns.items()):
        if turn.evaluation is None:
            continue
        present = {finding.key: finding for finding in turn.evaluation.findings}
        if not turn.evaluation.unknown and turn.evaluation.mode is not Mode.SKIPPED:
            for key in [key for key in open if key not in present]:
                yield finding_row(story.run, *open.pop(key), resolved=number)
        for key, finding in present.items():
            open.setdefault(key, (number, finding))
    for number, finding in open.values():
        yield finding_row(story.run, number, finding, resolved=None)


def finding_row(run: str, number: int, finding: Finding, resolved: int | None) -> FindingRow:
    """A finding's row."""
    return FindingRow(
        task=run,
        iteration=number,
        severity=str(finding.severity),
        rule=finding.rule,
        title=finding.title,
        location=finding.where,
        detail=finding.detail,
        fix=finding.fix,
        resolved_in=resolved,
    )


def cost_rows(books: Books) -> Iterator[CostRow]:
    """A row for each paid call; what a fork wrote down again of another task's past was paid there."""
    for task, ledger in books.ledgers.items():
        for charge in ledger.charges:
            usage = charge.cost.usage
            yield CostRow(
                task=task,
                at=charge.at,
                model=charge.model,
                phase=str(charge.phase),
                input=usage.input,
                output=usage.output,
                cache_read=usage.cache_read,
                cache_write=usage.cache_write,
                usd=charge.cost.usd,
            )
