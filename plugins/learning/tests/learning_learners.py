"""Who remembers, in the ledger's small world: nobody, the documents' rules, the ledger's own core, an oracle."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Protocol

from learning_world import ERRS, REFLECTS, Trick, World

from openkoi_hookspecs import Event, Record, Result, Task
from openkoi_hookspecs.events import LearningSaved
from openkoi_learning.credit_assignment import entries_to_blame, first_attempt_failure, status_changes
from openkoi_learning.entry import EntryEvidence, LearningEntry, entry_id, learning_from_entry
from openkoi_learning.events import EntriesShown, EntryUpdated, OutcomeCredited
from openkoi_learning.lesson import Lesson, first_attempt_passed, first_findings
from openkoi_learning.pipeline import derive_changes
from openkoi_learning.provenance import SourcesRead
from openkoi_learning.selection import SelectionRules, TaskQuery, select_entries
from openkoi_learning.state import LearningState

START = datetime(2026, 1, 1, tzinfo=UTC)


class Learner(Protocol):
    """Whoever remembers."""

    def recall(self, run: int, task: Task, needs: Sequence[Trick]) -> Sequence[str]:
        """What is shown to the model."""

    def learn(self, run: int, result: Result) -> None:
        """Take in how it went."""


class Nobody:
    """No memory at all."""

    def recall(self, run: int, task: Task, needs: Sequence[Trick]) -> Sequence[str]:
        return ()

    def learn(self, run: int, result: Result) -> None:
        """Nothing is kept."""


class Oracle(Nobody):
    """Knows everything."""

    def recall(self, run: int, task: Task, needs: Sequence[Trick]) -> Sequence[str]:
        return [f"Use {trick.right}" for trick in needs]


@dataclass(slots=True)
class Documents:
    """The rules as the documents have them: three templates, a model for long runs, five and five slots, no credit."""

    random: Random = field(default_factory=lambda: Random(7))
    kept: dict[str, tuple[str, float, int]] = field(default_factory=dict)

    def recall(self, run: int, task: Task, needs: Sequence[Trick]) -> Sequence[str]:
        words = set(task.text.split())
        best = sorted(self.kept, key=lambda text: (-len(words & set(text.split())), -self.kept[text][1]))
        traps = [text for text in best if self.kept[text][0] == "anti_pattern"][:5]
        return [*traps, *[text for text in best if self.kept[text][0] != "anti_pattern"][:5]]

    def learn(self, run: int, result: Result) -> None:
        cycles = [one.evaluation for one in result.iterations if one.evaluation is not None]
        scores = [one.score or 0.0 for one in cycles]
        blockers = [finding for one in cycles for finding in one.blockers]
        for rule in {one.rule for one in blockers if sum(each.rule == one.rule for each in blockers) > 1}:
            self.keep("anti_pattern", f"Repeated blocker findings in '{rule}'", 0.75, run)
        for before, after in pairwise(cycles):
            if (before.score or 0.0) - (after.score or 0.0) > 0.1 and after.open:
                self.keep("anti_pattern", f"Regressed: {after.open[0].fix} was counterproductive", 0.7, run)
        if len(scores) >= 3 and scores[-1] - scores[-2] < 0.02:
            self.keep("heuristic", "Consider reducing max_iterations to 2", 0.5, run)
        if len(cycles) >= 2 and any(len(one.findings) >= 3 for one in cycles):
            self.keep("heuristic", self.random.choice(cycles[0].open).fix, 0.6, run)

    def keep(self, kind: str, text: str, sure: float, run: int) -> None:
        self.kept[text] = (kind, min(1.0, self.kept.get(text, ("", sure - 0.05, 0))[1] + 0.05), run)


@dataclass(slots=True)
class Ours:
    """The ledger's own core, fed with records as a run would."""

    rules: SelectionRules = field(default_factory=SelectionRules)
    book: LearningState = field(default_factory=LearningState)
    records: list[Record] = field(default_factory=list)
    random: Random = field(default_factory=lambda: Random(11))
    tokens: int = 0
    shown: list[tuple[LearningEntry, ...]] = field(default_factory=list)

    def recall(self, run: int, task: Task, needs: Sequence[Trick]) -> Sequence[str]:
        asked = TaskQuery(run=str(run), text=task.text, project=task.project, model="m", now=at(run))
        choice = select_entries(self.book, asked, self.rules)
        ids = tuple(entry.id for entry in choice.shown)
        out = tuple(entry.id for entry in choice.withheld)
        self.write(run, EntriesShown(task.text, task.project, "m", ids, out))
        self.tokens += sum(entry.tokens for entry in choice.shown)
        self.shown.append(choice.shown)
        return [entry.text for entry in choice.shown]

    def learn(self, run: int, result: Result) -> None:
        good = first_attempt_passed(result)
        shown = self.shown[-1]
        told = self.book.exposures[str(run)].selection
        eligible = [self.book.entries[id] for id in (*told.shown, *told.withheld)]
        guilty = [] if good else entries_to_blame(eligible, first_attempt_failure(result, told.task))
        self.write(run, OutcomeCredited(bool(good), tuple(guilty)))
        for entry in status_changes(self.book, (*told.shown, *told.withheld), told.project, at(run)):
            self.save(run, entry)
        lesson = Lesson(run=str(run), result=result, project=result.task.project, at=at(run))
        read = SourcesRead(recalled=tuple(entry.text for entry in shown))
        more = reflected(lesson, self.random) if self.random.random() < REFLECTS else []
        for entry in derive_changes(
            self.book.entries.values(), lesson, read, str, more=more, blamed=set(guilty) & set(told.shown)
        ):
            self.save(run, entry)

    def save(self, run: int, entry: LearningEntry) -> None:
        self.write(run, EntryUpdated(entry))
        self.write(run, LearningSaved(learning_from_entry(entry)))

    def write(self, run: int, event: Event) -> None:
        record = Record(f"{len(self.records):08}", at(run), str(run), event)
        self.records.append(record)
        self.book.apply(record)


def reflected(lesson: Lesson, random: Random) -> list[LearningEntry]:
    """What a small model makes of a run that failed: one of the fixes, or something wrong."""
    found = first_findings(lesson.result)
    if not found:
        return []
    about = random.choice(found)
    thing = about.rule.removeprefix("test ")
    trick = next((one for one in World(0).tricks[lesson.project] if one.thing == thing), None)
    if trick is None:
        return []
    value = random.choice(trick.values[1:]) if random.random() < ERRS else trick.values[0]
    text = f"When working on {thing}, remember {value}."
    return [
        LearningEntry(
            entry_id("heuristic", text, lesson.project),
            "heuristic",
            text,
            when=(lesson.task,),
            origin="reflection",
            project=lesson.project,
            since=lesson.at,
            proofs=(
                EntryEvidence(run=lesson.run, rule=about.rule if random.random() < 0.5 else "", where="src/app.py"),
            ),
        )
    ]


def at(run: int) -> str:
    return (START + timedelta(hours=run)).isoformat().replace("+00:00", "Z")


@dataclass(slots=True)
class Course:
    """How a learner did: whether each first attempt passed, and how many wrong entries each task was shown."""

    passes: list[bool] = field(default_factory=list)
    harmful: list[int] = field(default_factory=list)

    def share(self, start: int, end: int | None = None) -> float:
        part = self.passes[start:end]
        return sum(part) / len(part)


def live(world: World, learner: Learner, tasks: int, drift: int = -1) -> Course:
    """Do so many tasks in a row."""
    course = Course()
    for run in range(tasks):
        if run == drift:
            world.drift()
        project, text, needs = world.task()
        told = learner.recall(run, Task(text, project=project), needs)
        result = world.result(Task(text, project=project), needs, told)
        learner.learn(run, result)
        course.passes.append(bool(first_attempt_passed(result)))
        course.harmful.append(sum(misleads(text, world.tricks[project]) for text in told))
    return course


def misleads(text: str, tricks: Sequence[Trick]) -> bool:
    """Whether a recalled text would have the model do what is wrong here."""
    denies = "do not" in text.lower()
    return any((value == trick.right) is denies for trick in tricks for value in trick.values if value in text)
