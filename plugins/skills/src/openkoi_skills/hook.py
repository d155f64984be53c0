"""Rank, show and activate skills in a run, and record how well they did.

Its decisions are written to the run log; a run resumed in another process reads them from there.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from openkoi_base.skillfile.approvals import Approvals
from openkoi_base.skillfile.locations import FoundSkill, Trust
from openkoi_base.skillfile.skill import Skill
from openkoi_hookspecs import (
    DataDir,
    Deny,
    KoiError,
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

from .approval import ask_approval
from .events import SkillActivated
from .library import SkillFinder, SkillLibrary, add_approved_body, find_supplied
from .library_cache import LibraryCache
from .tool_policy import ActiveSkill, deny_call

if TYPE_CHECKING:
    from .prompt import ChosenSkills
    from .similarity import TaskFit
    from .skill_ranking import RankedSkill, SkillEffect

MAX_RUNS = 1_024  # kept in memory: of one that is not, each tool call reads the log again; for runs that never end
NO_ROOM = "The list of skills omits {} skills. Raise `index_tokens` in [hooks.skills], or remove some skills."


class Skills:
    """Finds, ranks and activates skills. Settings: ``[hooks.skills]``."""

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
        self.library = SkillFinder(data, path)
        self.cache = LibraryCache(data / "cache")
        self.embedder = embedder
        self.tokens, self.index_tokens, self.unasked = tokens, index_tokens, unasked
        self.answer_seconds = answer_seconds
        self.libraries: dict[str, SkillLibrary] = {}
        self.active: dict[str, tuple[ActiveSkill, ...]] = {}

    @hookimpl
    async def before_plan(self, task: Task, recall: Recall, run: Run) -> Sequence[Section]:
        """Add the index, the text of matching skills, and a hint about others."""
        library = await self.load_library(run)
        waiting = {file.parent for file in library.waiting}
        if await ask_approval(self.library.data, run, seconds=self.answer_seconds, skills=waiting):
            self.libraries.pop(run.id, None)
            library = await self.load_library(run)
        self.follow(run, ())
        for complaint in library.complaints:
            await run.emit(WarningIssued(complaint))
        hidden = hidden_names(library, task)
        if len(hidden) == len(library.skills):
            return ()
        from .effectiveness import read_tally
        from .prompt import choose_skills

        fit = await self.measure_fit(library, task, run, hidden)
        tally = await asyncio.to_thread(read_tally, self.library.data)
        ranked = rank_skills(library, task, recall, fit, tally.effects(task.category), hidden)
        chosen = choose_skills(
            await asyncio.to_thread(with_bodies, ranked, Approvals(run.koi)), self.tokens, self.unasked
        )
        return [
            *await self.make_index(library, fit, tally.sum_scores(), run),
            *await self.activate_chosen(chosen, run),
            *make_hints(chosen),
        ]

    @hookimpl
    async def after_plan(self, plan: Plan, run: Run) -> Plan | None:
        """Skip evaluation for a deterministic skill that the task asked for."""
        steady = [one for one in self.active.get(run.id, ()) if self.is_deterministic(one, run)]
        return replace(plan, evaluate=False) if steady and plan.evaluate else None

    @hookimpl
    def before_tool(self, call: ToolCall, run: Run) -> Deny | None:
        """Deny calls that the active skills do not allow."""
        return deny_call(call, self.active_skills(run))

    @hookimpl
    async def before_learn(self, result: Result, run: Run) -> None:
        """Record the use of skills with the best iteration's score, if any."""
        names = tuple(dict.fromkeys(one.skill for one in self.active_skills(run)))
        self.libraries.pop(run.id, None)
        self.active.pop(run.id, None)
        if names:
            task, best = run.task, result.best.evaluation
            score = best.score if best else None
            await run.emit(
                UsageRecorded(
                    "SkillUse", task.text, category=task.category, channel=task.channel, skills=names, score=score
                )
            )

    async def load_library(self, run: Run) -> SkillLibrary:
        """Return the skills for a run, read once per run."""
        if run.id not in self.libraries:
            supplied = await find_supplied(run.koi)
            read = await asyncio.to_thread(self.cache.load_index, self.library, run.workspace, supplied)
            while len(self.libraries) >= MAX_RUNS:
                self.libraries.pop(next(iter(self.libraries)))
            self.libraries[run.id] = read
        return self.libraries[run.id]

    async def measure_fit(self, library: SkillLibrary, task: Task, run: Run, hidden: Collection[str] = ()) -> "TaskFit":
        """Return how well the skills fit a task, by the search engine."""
        from .similarity import measure_fit

        folder = self.library.data / "cache"
        return await measure_fit(task.text, library, folder=folder, embedder=self.embedder, hidden=hidden, run=run)

    async def make_index(
        self, library: SkillLibrary, fit: "TaskFit", scores: Mapping[str, float], run: Run
    ) -> list[Section]:
        """Return the index of all skills, the same for every task; if not all fit, of the best for this task."""
        from .prompt import format_cut_index, format_index, rank_index

        skills = [one.skill for one in library.skills.values() if one.skill.name not in library.by_name]
        if not skills:
            return []
        if text := format_index(skills, self.index_tokens):
            return [Section("skills", text, layer=Layer.SYSTEM)]
        cut = format_cut_index(rank_index(skills, fit.shares, scores), self.index_tokens)
        await run.emit(WarningIssued(NO_ROOM.format(f"{len(cut.omitted)} of {len(library.skills)}")))
        return [Section("skills", cut.text)]

    async def activate_chosen(self, chosen: "ChosenSkills", run: Run) -> list[Section]:
        """Activate the fitting skills, and return their texts."""
        from .prompt import format_skill

        sections = []
        for one in chosen.bodies:
            skill = one.found.skill
            await self.activate(one.found, skill, run, why=str(one.signals), score=one.signals.score)
            sections.append(Section(f"skill {skill.name}", format_skill(one.found, skill)))
        return sections

    async def activate(self, found: FoundSkill, skill: Skill, run: Run, *, why: str, score: float = 0.0) -> None:
        """Activate a skill: the model follows it, and is limited to its tools."""
        active = ActiveSkill(skill.name, skill.tools)
        followed = self.active_skills(run)
        if active not in followed:
            self.follow(run, (*followed, active))
            await run.emit(SkillActivated(skill.name, skill.tools, source=found.source.value, why=why, score=score))

    def active_skills(self, run: Run) -> tuple[ActiveSkill, ...]:
        """Return the skills that a run follows, from the log if another process began it."""
        if run.id not in self.active:
            records = [one for one in run.koi.records(run.task.session) if one.run == run.id]
            activated = [one.event for one in records if isinstance(one.event, SkillActivated)]
            self.follow(run, tuple(dict.fromkeys(ActiveSkill(one.skill, tuple(one.tools)) for one in activated)))
        return self.active[run.id]

    def follow(self, run: Run, active: tuple[ActiveSkill, ...]) -> None:
        """Record what a run follows; forget the oldest runs without an end."""
        self.active[run.id] = active
        while len(self.active) > MAX_RUNS:
            self.active.pop(next(iter(self.active)))

    def is_deterministic(self, active: ActiveSkill, run: Run) -> bool:
        """Return whether the task asks for a skill that declares itself deterministic."""
        from .skill_ranking import mentions_skill

        found = self.libraries.get(run.id, SkillLibrary()).get(active.skill)
        steady = found is not None and str(found.skill.metadata_value("deterministic")).casefold() == "true"
        return steady and mentions_skill(active.skill, run.task.text)


def rank_skills(
    library: SkillLibrary,
    task: Task,
    recall: Recall,
    fit: "TaskFit",
    effects: Mapping[str, "SkillEffect"],
    hidden: Collection[str] = (),
) -> "list[RankedSkill]":
    """Return the skills that are relevant for a task, best first."""
    from .skill_ranking import RankedSkill, Signals, find_mentioned, rank_candidates, recalled_texts

    asked = find_mentioned(library.name_starts, task.text)
    recalled = find_mentioned(library.name_starts, *recalled_texts(recall))
    return rank_candidates(
        RankedSkill(
            one,
            signals=Signals(
                explicit=name in asked,
                effect=effects.get(name),
                similarity=fit.shares.get(name, 0.0) if fit.is_clear else 0.0,
                recalled=name in recalled,
                approved=library.approved.get(name, 0.0),
            ),
        )
        for one in library.skills.values()
        if (name := one.skill.name) not in hidden
        if name in library.approved or name in asked or name in recalled or name in fit.shares or name in effects
    )


def with_bodies(ranked: "Sequence[RankedSkill]", trust: Trust) -> "list[RankedSkill]":
    """Return the skills with their texts, without those that cannot be read or now need approval."""
    found = []
    for one in ranked:
        with suppress(KoiError, OSError):
            found.append(replace(one, found=add_approved_body(one.found, trust)))
    return found


def may_use(skill: Skill, task: Task) -> bool:
    """Return whether a skill may be used for a task: one only by name needs to be named."""
    from .skill_ranking import mentions_skill

    return not skill.by_name or mentions_skill(skill.name, task.text)


def hidden_names(library: SkillLibrary, task: Task) -> frozenset[str]:
    """Return the names of by-name-only skills that the task does not name."""
    if not library.by_name:
        return library.by_name
    return frozenset(name for name in library.by_name if not may_use(library.skills[name.casefold()].skill, task))


def make_hints(chosen: "ChosenSkills") -> list[Section]:
    """Return a line about skills that may fit."""
    from .prompt import format_hint

    return [Section("skills that may fit", format_hint(chosen.hints))] if chosen.hints else []
