"""Skills in a run: what there is, what fits, what is active, and how well it did.

Everything it decides is written to the run log; a run that goes on in another process is read back from there.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from openkoi_hookspecs import (
    DataDir,
    Deny,
    Layer,
    Plan,
    Recall,
    Result,
    Run,
    Section,
    Task,
    ToolCall,
    hookimpl,
)
from openkoi_hookspecs.events import UsageRecorded, WarningIssued
from openkoi_skillfile import FoundSkill, Skill

from .allowed import Active, forbidden
from .approval import settle
from .effect import read_tally
from .events import Activated
from .likeness import likeness
from .shelf import Library, SkillLibrary, brought_by
from .signals import Ranked, Signals, approval_score, asked_for, is_recalled, purpose_text, rank_candidates
from .words import Chosen, choose, hint, index, whole

RUNS_KEPT = 64
NO_ROOM = "The index of skills has no room for {}: raise index_tokens of [hooks.skills], or put some skills away."


class Skills:
    """Finds, shows and keeps to skills. Settings: ``[hooks.skills]``."""

    def __init__(
        self,
        *,
        data: Annotated[Path, DataDir("")],
        path: tuple[Path, ...] = (),
        embedder: str = "lexical",
        tokens: int = 4_000,
        index_tokens: int = 3_000,
        unasked: int = 2,
        answer_seconds: float = 25.0,
    ) -> None:
        self.library = Library(data, path)
        self.embedder = embedder
        self.tokens, self.index_tokens, self.unasked = tokens, index_tokens, unasked
        self.answer_seconds = answer_seconds
        self.shelves: dict[str, SkillLibrary] = {}
        self.active: dict[str, tuple[Active, ...]] = {}

    @hookimpl
    async def before_plan(self, task: Task, recall: Recall, run: Run) -> Sequence[Section]:
        """Show the index, the text of what fits the task, and a hint at what may."""
        await settle(self.library.data, run, seconds=self.answer_seconds)
        shelf = await self.shelf(run)
        self.follow(run, ())
        for complaint in shelf.complaints:
            await run.emit(WarningIssued(complaint))
        if not any(may(one.skill, task) for one in shelf.skills.values()):
            return ()
        chosen = choose(await self.rank_skills(shelf, task, recall, run), self.tokens, self.unasked)
        listed = [await self.index(shelf, run)] if any(not one.skill.by_name for one in shelf.skills.values()) else []
        return [*listed, *await self.bodies(chosen, run), *hints(chosen)]

    @hookimpl
    async def after_plan(self, plan: Plan, run: Run) -> Plan | None:
        """A skill that always does the same is not judged, where the task asked for it."""
        steady = [one for one in self.active.get(run.id, ()) if self.always_the_same(one, run)]
        return replace(plan, evaluate=False) if steady and plan.evaluate else None

    @hookimpl
    def before_tool(self, call: ToolCall, run: Run) -> Deny | None:
        """Refuse what the active skills do not keep to."""
        return forbidden(call, self.active_skills(run))

    @hookimpl
    async def before_learn(self, result: Result, run: Run) -> None:
        """Write down how well the skills did that were followed: the best iteration's score, if it has one."""
        names = tuple(dict.fromkeys(one.skill for one in self.active_skills(run)))
        self.shelves.pop(run.id, None)
        self.active.pop(run.id, None)
        if names:
            task, best = run.task, result.best.evaluation
            score = best.score if best else None
            await run.emit(
                UsageRecorded(
                    "SkillUse", task.text, category=task.category, channel=task.channel, skills=names, score=score
                )
            )

    async def shelf(self, run: Run) -> SkillLibrary:
        """The skills for a run, read once in it."""
        if run.id not in self.shelves:
            read = await asyncio.to_thread(self.library.shelf, run.workspace, await brought_by(run.koi))
            while len(self.shelves) >= RUNS_KEPT:
                self.shelves.pop(next(iter(self.shelves)))
            self.shelves[run.id] = read
        return self.shelves[run.id]

    async def rank_skills(self, shelf: SkillLibrary, task: Task, recall: Recall, run: Run) -> list[Ranked]:
        """The skills that are worth a look for a task, best first."""
        every = [one for one in shelf.skills.values() if may(one.skill, task)]
        effects = (await asyncio.to_thread(read_tally, self.library.data)).effects(task.category)
        alike = await likeness(task.text, [purpose_text(one.skill) for one in every], self.embedder, run)
        return rank_candidates(
            Ranked(
                one,
                signals=Signals(
                    explicit=asked_for(one.skill.name, task.text),
                    effect=effects.get(one.skill.name),
                    similarity=similarity,
                    recalled=is_recalled(one.skill.name, recall),
                    approved=approval_score(one),
                ),
            )
            for one, similarity in zip(every, alike, strict=True)
        )

    async def index(self, shelf: SkillLibrary, run: Run) -> Section:
        """All names and descriptions, the same for every task; what has no room is named."""
        made = index([one.skill for one in shelf.skills.values()], self.index_tokens)
        if made.left_out:
            await run.emit(WarningIssued(NO_ROOM.format(f"{len(made.left_out)} of {len(shelf.skills)}")))
        return Section("skills", made.text, layer=Layer.SYSTEM)

    async def bodies(self, chosen: Chosen, run: Run) -> list[Section]:
        """The texts of the skills that fit; from now on they are active."""
        sections = []
        for one in chosen.bodies:
            skill = one.found.skill
            await self.activate(one.found, skill, run, why=str(one.signals), score=one.signals.score)
            sections.append(Section(f"skill {skill.name}", whole(one.found, skill)))
        return sections

    async def activate(self, found: FoundSkill, skill: Skill, run: Run, *, why: str, score: float = 0.0) -> None:
        """From now on the model follows a skill, and keeps to its tools."""
        active = Active(skill.name, skill.tools)
        followed = self.active_skills(run)
        if active not in followed:
            self.follow(run, (*followed, active))
            await run.emit(Activated(skill.name, skill.tools, source=found.source.value, why=why, score=score))

    def active_skills(self, run: Run) -> tuple[Active, ...]:
        """The skills that a run follows; of one that was begun by another process, as the log tells."""
        if run.id not in self.active:
            records = [one for one in run.koi.records(run.task.session) if one.run == run.id]
            said = [one.event for one in records if isinstance(one.event, Activated)]
            self.follow(run, tuple(dict.fromkeys(Active(one.skill, tuple(one.tools)) for one in said)))
        return self.active[run.id]

    def follow(self, run: Run, active: tuple[Active, ...]) -> None:
        """Record what a run follows; forget the oldest runs without an end."""
        self.active[run.id] = active
        while len(self.active) > RUNS_KEPT:
            self.active.pop(next(iter(self.active)))

    def always_the_same(self, active: Active, run: Run) -> bool:
        """Whether a skill that the task names says of itself that there is nothing to judge."""
        found = self.shelves.get(run.id, SkillLibrary()).get(active.skill)
        steady = found is not None and str(found.skill.own("deterministic")).casefold() == "true"
        return steady and asked_for(active.skill, run.task.text)


def may(skill: Skill, task: Task) -> bool:
    """Whether a skill may be used for a task: of one that wants to be asked for, whether it is."""
    return not skill.by_name or asked_for(skill.name, task.text)


def hints(chosen: Chosen) -> list[Section]:
    """A line about what may fit besides."""
    return [Section("skills that may fit", hint(chosen.hints))] if chosen.hints else []
