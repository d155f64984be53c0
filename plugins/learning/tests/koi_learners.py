"""Who remembers in the koi world, each a plugin: all that was ever said, the documents' rules, the truth itself."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from koi_world import Truths
from learning_learners import Documents

from openkoi_hookspecs import Learning, Result, Run, Section, Task, hookimpl


@dataclass(slots=True)
class FullHistory:
    """Puts all that was found wrong in any task of the project into the prompt, the newest last."""

    lines: dict[str, list[str]] = field(default_factory=dict)
    most: int = 200

    @hookimpl
    async def before_plan(self, task: Task) -> Sequence[Section]:
        """All of it."""
        lines = self.lines.get(task.project, [])[-self.most :]
        return [Section("history", "# What happened before\n\n" + "\n".join(lines))] if lines else []

    @hookimpl
    async def before_learn(self, result: Result, run: Run) -> Sequence[Learning]:
        """Write down each finding of each attempt, and each line of advice."""
        lines = self.lines.setdefault(result.task.project, [])
        for one in result.iterations:
            judged = one.evaluation
            for found in judged.open if judged else ():
                lines.append(f"- {result.task.text[:60]}: {found.title} {found.detail} {found.fix}")
            if judged and judged.suggestion:
                lines.append(f"- {result.task.text[:60]}: {judged.suggestion}")
        return []


@dataclass(slots=True)
class AsWritten:
    """The documents' rules: three templates, five and five slots, no credit, no projects."""

    rules: Documents = field(default_factory=Documents)
    runs: int = 0

    @hookimpl
    async def before_plan(self, task: Task) -> Sequence[Section]:
        """The five and five."""
        lines = self.rules.recall(self.runs, task, ())
        return [Section("learned", "# Learned\n\n" + "\n".join(f"- {line}" for line in lines))] if lines else []

    @hookimpl
    async def before_learn(self, result: Result, run: Run) -> Sequence[Learning]:
        """What the templates make of it."""
        self.runs += 1
        self.rules.learn(self.runs, result)
        return []


@dataclass(slots=True)
class Oracle:
    """Knows all that is right."""

    truths: Truths

    @hookimpl
    async def before_plan(self, task: Task) -> Sequence[Section]:
        """The tricks that the task takes."""
        right = self.truths.right[task.project]
        lines = [f"- Use `{right[one.slot]}` as the {one.names[0]}." for one in self.truths.needs(task.text)]
        return [Section("truth", "\n".join(lines))]
