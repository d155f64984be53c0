"""Generate a world from a seed: its tasks, in order."""

from collections.abc import Sequence
from dataclasses import field
from random import Random

from openkoi_hookspecs import Evaluation
from openkoi_hookspecs.lazy_dataclass import dataclass

from .actors import Actors
from .structure import Structure, draw_facts, draw_structure, kind_of
from .truth import DrawnTruth
from .words import ASIDES, CONDITIONS, JOINS, KINDS, TOPICS
from .world import GymTask, Prompt

DRIFT_AT = 300
CONDITION_SHARE = 0.3
FILE = "notes/decisions.txt"


@dataclass(slots=True)
class DrawnWorld:
    """A world that is determined by its seed."""

    seed: int
    drifts_at: int = DRIFT_AT
    like: Structure = field(init=False)
    truth: DrawnTruth = field(init=False)
    actors: Actors = field(init=False)
    random: Random = field(init=False)
    count: int = 0

    def __post_init__(self) -> None:
        self.like, self.random = draw_structure(self.seed), Random(f"tasks {self.seed}")
        self.truth = DrawnTruth(self.like, draw_facts(self.like, Random(f"facts {self.seed}")))
        self.actors = Actors(self.like, self.truth, self.seed)

    @property
    def name(self) -> str:
        """The name in reports."""
        return f"world {self.seed}"

    @property
    def family(self) -> str:
        """Form and checks."""
        return self.like.family

    @property
    def path(self) -> str:
        """The file that the work is in."""
        return FILE if self.like.file else ""

    def next_task(self) -> GymTask:
        """Return the next task: the kinds take turns."""
        if self.count == self.drifts_at:
            self.truth.turn(self.random)
        topics = sorted({fact.topic for fact in self.truth.facts if fact.topic >= 0})
        kind = self.count % self.like.kinds
        own = [topic for topic in topics if kind_of(topic, self.like.kinds) == kind] or topics
        most = 1 if self.like.shared else max(1, self.like.facts - self.like.project_wide)
        about = self.random.sample(own, min(len(own), self.random.randint(1, most)))
        self.count += 1
        project = f"project{self.random.randrange(self.like.projects)}"
        return GymTask(project, self.write_task(kind, about), KINDS[kind][0])

    def write_task(self, kind: int, about: Sequence[int]) -> str:
        """Return the text of a task."""
        names = [self.random.choice(TOPICS[one][: 3 if self.like.reworded else 1]) for one in about]
        text = self.random.choice(KINDS[kind][1]).format(t=self.random.choice(JOINS).join(names))
        special = [fact.condition for fact in self.truth.facts if fact.condition >= 0 and fact.topic in about]
        if special and self.random.random() < CONDITION_SHARE:
            text += f" {self.random.choice(CONDITIONS[self.random.choice(special)])}"
        return f"{text} {self.random.choice(ASIDES)}".strip()

    def attempt(self, prompt: Prompt) -> str:
        """Return the model's work."""
        return self.actors.attempt(prompt)

    def evaluate(self, task: GymTask, work: str, *, first: bool) -> Evaluation:
        """Return the evaluation."""
        return self.actors.evaluate(task, work, first=first)
