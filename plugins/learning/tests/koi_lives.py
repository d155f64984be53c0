"""A life in the koi world: many tasks in a row over the whole of OpenKoi, with one learner, measured from outside."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from koi_judge import FILE, Judge
from koi_learners import AsWritten, FullHistory, Oracle
from koi_model import Mind
from koi_world import Truths, World, heard

from openkoi.app import App
from openkoi_duckdb import DuckDB
from openkoi_hookspecs import Evaluation, Event, Learning, LearningStatus, Limits, Record, Result, Task, events
from openkoi_learning import LearningHook
from openkoi_testing import Scenario

LEARNERS = ("none", "history", "documents", "ours", "oracle")
SESSION = 10
LIMITS = Limits(seconds=3_600.0)


@dataclass(frozen=True, slots=True)
class Step:
    """One task, as it is seen from outside. ``told`` is what stood in the prompt beside it."""

    project: str
    text: str
    passed: bool
    told: str
    harmful: int
    result: Result
    right: dict[str, str]

    @property
    def tokens(self) -> int:
        """What the recalled text costs."""
        return -(-len(self.told) // 4)


@dataclass(slots=True)
class Life:
    """How it went."""

    steps: list[Step] = field(default_factory=list)
    learned: dict[str, Learning] = field(default_factory=dict)
    homes: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    truths: Truths | None = None

    def share(self, start: int, end: int | None = None) -> float:
        """How many first attempts passed."""
        part = self.steps[start:end]
        return sum(one.passed for one in part) / len(part)

    @property
    def harmful(self) -> float:
        """Misleading items a task."""
        return sum(one.harmful for one in self.steps) / len(self.steps)

    @property
    def tokens(self) -> float:
        """Recalled tokens a task."""
        return sum(one.tokens for one in self.steps) / len(self.steps)

    @property
    def live(self) -> list[Learning]:
        """What may be shown now."""
        standing = (LearningStatus.PROBATION, LearningStatus.ACTIVE)
        return [one for one in self.learned.values() if one.status in standing and not one.superseded_by]

    def duplicates(self, truths: Truths) -> float:
        """The share of live learnings that say what another one of the project says."""
        said = [
            (self.homes[one.id], one.kind == "anti_pattern", meaning)
            for one in self.live
            if (meaning := meant(one.text, truths))
        ]
        return 1 - len(set(said)) / len(said) if said else 0.0


def meant(text: str, truths: Truths) -> tuple[str, ...]:
    """What a text says to do, whatever its words."""
    told = [(one.slot, heard([text], one)) for one in truths.families]
    return tuple(f"{slot} {sorted(set(some))} {sorted(no)}" for slot, (some, no) in told if some or no)


@dataclass(slots=True)
class Pond:
    """A world with somebody in it who learns; ``home`` is where OpenKoi keeps its files."""

    truths: Truths
    who: str
    home: Path
    seed: int
    remembers: bool
    mind: Mind = field(init=False)
    judge: Judge = field(init=False)
    plugins: dict[str, object] = field(init=False)
    life: Life = field(default_factory=Life)

    def __post_init__(self) -> None:
        self.mind, self.judge = Mind(self.truths, self.seed), Judge(self.truths, self.seed)
        learners: dict[str, dict[str, object]] = {
            "none": {},
            "history": {"history": FullHistory()},
            "documents": {"documents": AsWritten()},
            "oracle": {"oracle": Oracle(self.truths)},
        }
        self.plugins = learners.get(self.who, {})

    def open(self) -> App:
        """OpenKoi as a new process has it: what it knows it reads from its files."""
        data = self.home / "data"
        mine = {"learning": LearningHook(sessions=data / "sessions")} if self.who == "ours" else self.plugins
        memory = DuckDB(path=data / "openkoi.db") if self.remembers and self.who == "ours" else None
        stage = Scenario(model=self.mind, plugins=mine, evaluators={"judge": self.judge}, memory=memory)
        return stage.build_app(self.home, self.home)

    async def session(self, tasks: Sequence[int]) -> None:
        """Do some tasks in one process, and look at what was written down."""
        async with self.open() as koi:
            for number in tasks:
                if number == self.truths.like.drift:
                    self.truths.turn()
                await self.step(koi)
            for record in koi.records(koi.session):
                self.life.records.append(record)
                self.note(record.run, record.event)

    async def step(self, koi: App) -> None:
        """Do the next task."""
        project, text = self.truths.task()
        folder = self.home / project
        folder.mkdir(exist_ok=True)
        (folder / FILE).unlink(missing_ok=True)
        self.mind.project, self.mind.told = project, ""
        result = await koi.solve(Task(text, project=project, workspace=str(folder), limits=LIMITS))
        await koi.drain()
        first, told = result.iterations[0].evaluation, self.mind.told
        harm = sum(self.truths.misleading(project, line) for line in told.splitlines())
        good = first is not None and passes(first)
        self.life.steps.append(Step(project, text, good, told, harm, result, dict(self.truths.right[project])))

    def note(self, run: str, event: Event) -> None:
        """Take in what the log says of learnings and of what went wrong."""
        if isinstance(event, events.TaskStarted):
            self.life.homes[run] = event.task.project
        elif isinstance(event, events.LearningSaved):
            self.life.learned[event.learning.id] = event.learning
            self.life.homes.setdefault(event.learning.id, self.life.homes.get(run, ""))
        elif isinstance(event, events.WarningIssued):
            self.life.warnings.append(event.text)


def passes(evaluation: Evaluation) -> bool:
    """Whether an attempt was good enough, as the loop decides it."""
    return (
        not evaluation.failing
        and not evaluation.blockers
        and (evaluation.score or 0.0) >= LIMITS.quality_threshold - 1e-9
    )


def live(like: World, who: str, tasks: int = 500, *, seed: int = 0, remembers: bool = True, folder: str = "") -> Life:
    """Do so many tasks in a world with a learner; files are kept in a new folder below ``folder``."""
    with TemporaryDirectory(dir=folder or None, ignore_cleanup_errors=True) as home:
        pond = Pond(Truths(replace(like), seed), who, Path(home), seed, remembers)
        for start in range(0, tasks, SESSION):
            asyncio.run(pond.session(range(start, min(start + SESSION, tasks))))
        pond.life.truths = pond.truths
        return pond.life
