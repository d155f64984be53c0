"""A test setup with skills: OpenKoi over a workspace, a scripted model, and a user who answers."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from openkoi_hookspecs import (
    Embedding,
    Evaluation,
    ExecutionResult,
    Question,
    Record,
    Request,
    Result,
    Run,
    Score,
    Task,
    ToolResult,
)
from openkoi_hookspecs.events import ToolCallFinished, WarningIssued
from openkoi_scripted import Line, Scripted
from openkoi_skills import Skills
from openkoi_skills.project_rules import ProjectRules
from openkoi_skills.skill_tools import SkillTools
from openkoi_testing import Scenario

DEPLOY = "---\nname: deploy-pond\ndescription: Deploys the pond\n{more}---\nOpen the sluice.\n"
TASK = "Use the deploy-pond skill"


@dataclass(frozen=True)
class Judged:
    """An evaluator that gives everything the same score."""

    score: float
    judges: ClassVar[bool] = True

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation:
        """Stream the text."""
        return Evaluation(scores=(Score("form", self.score),))


@dataclass(frozen=True)
class Fixed:
    """An embedder with a vector for texts about water, one for those about the pond, and one for all others."""

    vectors: Sequence[Sequence[float]]
    id: str = "fixed"

    async def embed(self, texts: Sequence[str]) -> Embedding:
        """Answer it."""
        return Embedding(
            [self.vectors[0 if "water" in text else 1 if "pond" in text else 2] for text in texts if self.vectors]
        )


@dataclass
class Pond:
    """A home, a workspace, and a user with given answers."""

    folder: Path
    answer: str | None = None
    score: float | None = None
    embedder: Fixed | None = None
    asked: list[Question] = field(default_factory=list)
    model: Scripted = field(default_factory=lambda: Scripted(["done"]))
    records: Sequence[Record] = ()

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def workspace(self) -> Path:
        return self.folder / "work"

    def put(self, place: str, name: str = "deploy-pond", more: str = "", text: str = DEPLOY) -> Path:
        """Write a skill; ``place`` is below the folder of this test."""
        file = self.folder / place / name / "SKILL.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.format(more=more), encoding="utf-8")
        return file

    def solve(self, task: str = TASK, *says: Line) -> Result:
        """Do a task with the plugins of this distribution."""
        self.workspace.mkdir(exist_ok=True)
        self.model = Scripted([*says, "done"])
        skills = Skills(data=self.home / "data", embedder="fixed" if self.embedder else "lexical")
        stage = Scenario(
            model=self.model,
            plugins={"skills": skills, "project-rules": ProjectRules(data=self.home / "data", tokens=100)},
            tool_providers={"skills": SkillTools(skills=skills)},
            others={"embedders": {"fixed": self.embedder}} if self.embedder else {},
            evaluators={"fixed": Judged(self.score)} if self.score is not None else {},
        )
        return asyncio.run(self.solved(task, stage))

    async def solved(self, task: str, stage: Scenario) -> Result:
        async with stage.build_app(self.workspace, self.home) as koi:
            koi.attend(self.user)
            result = await koi.solve(Task(task))
            await koi.drain()
            self.records = tuple(koi.records(koi.session))
            return result

    async def user(self, question: Question) -> str | None:
        self.asked.append(question)
        return self.answer

    async def wait_for_ever(self, question: Question) -> str | None:
        self.asked.append(question)
        await asyncio.Event().wait()
        return None

    @property
    def request(self) -> Request:
        """The first request to the model."""
        return self.model.asked[0]

    def prompt_text(self) -> str:
        """The whole text of the first request."""
        return "\n".join(["\n".join(self.request.system), str(self.request.messages)])

    def results(self) -> list[ToolResult]:
        """What tools answered."""
        return [one.event.result for one in self.records if isinstance(one.event, ToolCallFinished)]

    def warnings(self) -> str:
        """The warnings."""
        return "\n".join(one.event.text for one in self.records if isinstance(one.event, WarningIssued))
