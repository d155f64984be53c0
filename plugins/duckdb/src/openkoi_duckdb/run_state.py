"""All that is known of one run, the same whatever order its records came in. Knows no database."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from openkoi_hookspecs import Passage, Record, Task
from openkoi_hookspecs.events import Answered, RunCompleted, RunFailed, TaskStarted, Worked
from openkoi_recall.digest import digest
from openkoi_recall.shelves import shelf_of

from .documents import Document
from .episodes import Episode, episodes
from .iterations import Turn, turns
from .outcomes import outcome_row
from .rows import ChunkRow, CycleRow, FindingRow, Row, RunRow, TaskRow

FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Story:
    """A run's records, oldest first, and what was read out of them."""

    run: str
    records: Sequence[Record]
    begun: Record
    start: TaskStarted
    turns: Sequence[Turn]
    episodes: Sequence[Episode]

    @property
    def task(self) -> Task:
        """What was asked for."""
        return self.start.task

    @property
    def ending(self) -> tuple[str, RunCompleted] | None:
        """When the result came out, and what it was."""
        found = [(record.at, record.event) for record in self.records if isinstance(record.event, RunCompleted)]
        return found[-1] if found else None

    @property
    def score(self) -> float | None:
        """The score of the best iteration, once the result is out."""
        if self.ending is None:
            return None
        best = self.ending[1].best
        return next((turn.score for turn in self.turns if turn.iteration == best), None)

    @property
    def tokens(self) -> int:
        """What the result says was used; until then what the models answered."""
        if self.ending:
            return self.ending[1].spent.tokens
        return sum(answer.reply.done.usage.total for answer in self.answers)

    @property
    def usd(self) -> float:
        """What it cost."""
        return self.ending[1].spent.usd if self.ending else sum(answer.usd for answer in self.answers)

    @property
    def answers(self) -> Sequence[Answered]:
        """The calls of models."""
        return [record.event for record in self.records if isinstance(record.event, Answered)]


def told(run: str, records: Sequence[Record]) -> Story | None:
    """Read a run's records; without its first one there is no story yet."""
    ordered = sorted(records, key=lambda record: (record.at, record.id))
    for record in ordered:
        if isinstance(record.event, TaskStarted):
            read = turns(ordered)
            return Story(run, ordered, record, record.event, read, episodes(read))
    return None


def rows(story: Story) -> Iterator[Row]:
    """Write a story into the tables."""
    yield run_row(story)
    yield task_row(story)
    for turn in story.turns:
        yield cycle_row(story.run, turn)
        yield outcome_row(story.run, turn)
    for episode in story.episodes:
        yield finding_row(story.run, episode)
    if story.ending:
        yield ChunkRow(story.run, "task", memory_of(story), story.ending[0])


def run_row(story: Story) -> RunRow:
    """Say where the run belongs."""
    return RunRow(
        id=story.run,
        session=story.task.session,
        project=story.task.project,
        category=story.task.category,
        parent=story.task.parent,
        channel=story.task.channel,
        model=story.start.model,
        created_at=story.begun.at,
        updated_at=story.records[-1].at,
        tokens=story.tokens,
        usd=story.usd,
    )


def task_row(story: Story) -> TaskRow:
    """Say what was asked and how it ended."""
    return TaskRow(
        id=story.run,
        description=story.task.text,
        category=story.task.category,
        session_id=story.task.session or None,
        final_score=story.score,
        iterations=story.ending[1].iterations if story.ending else sum(turn.ended for turn in story.turns),
        decision=decision(story),
        total_tokens=story.tokens,
        total_cost_usd=story.usd,
        created_at=story.begun.at,
        completed_at=story.ending[0] if story.ending else None,
    )


def decision(story: Story) -> str | None:
    """Name how the run ended; None while it has not."""
    if story.ending:
        return story.ending[1].ruling.decision
    return FAILED if any(isinstance(record.event, RunFailed) for record in story.records) else None


def cycle_row(run: str, turn: Turn) -> CycleRow:
    """Say how one iteration went."""
    usage = turn.usage
    return CycleRow(
        id=f"{run}:{turn.iteration}",
        task_id=run,
        iteration=turn.iteration,
        score=turn.score,
        decision=turn.decision,
        input_tokens=usage.input + usage.cache_read + usage.cache_write,
        output_tokens=usage.output,
        duration_ms=None if turn.seconds is None else round(turn.seconds * 1000),
        created_at=turn.moment,
    )


def finding_row(run: str, episode: Episode) -> FindingRow:
    """Say what was found where, and when it was gone."""
    finding, cycle = episode.finding, f"{run}:{episode.found}"
    return FindingRow(
        id=f"{cycle}:F{episode.number}",
        cycle_id=cycle,
        severity=finding.severity,
        dimension=finding.rule,
        title=finding.title,
        description=finding.detail,
        location=finding.where,
        fix=finding.fix,
        resolved_in=None if episode.resolved is None else f"{run}:{episode.resolved}",
    )


def memory_of(story: Story) -> str:
    """Return the words that a finished task is remembered by."""
    fixed = [episode.finding for episode in story.episodes if episode.resolved is not None]
    return digest(story.task.text, story.ending[1], story.score, fixed) if story.ending else ""


def document(story: Story) -> Document | None:
    """Return what of a run can be found: nothing until its result is out."""
    if story.ending is None:
        return None
    passage = Passage(story.run, memory_of(story), kind="task", origin=story.task.session)
    return Document(passage, shelf_of(story.task.project), story.ending[0], files(story))


def files(story: Story) -> tuple[str, ...]:
    """Return the files that the run touched."""
    works = [record.event.work for record in story.records if isinstance(record.event, Worked)]
    return tuple(sorted({file for work in works for file in work.files}))
