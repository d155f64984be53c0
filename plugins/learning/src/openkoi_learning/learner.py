"""Learn from finished runs: from the one that just ended, and from those whose process was killed.

Everything is written to the log of the current run. Learning from a run twice has no further effect.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from openkoi_base.redact import current_redactor
from openkoi_hookspecs import Learning, Result, Run, hooks
from openkoi_hookspecs.events import LearningSaved
from openkoi_hookspecs.lazy_dataclass import dataclass

from .decay import DEFAULT_DECAY, Decay, utc_now
from .entry import LearningEntry, Trust
from .events import EntryUpdated, OutcomeCredited, RunProcessed
from .extract_lessons import extract_entries
from .figures import figures_differ, to_learning
from .lesson import Lesson, first_attempt_passed
from .log_view import LearningLogView
from .reverts import archive_redone, follow_rewinds, warn_of_undone
from .selection import in_scope
from .state import LearningState, RunOrigin
from .thresholds import Thresholds

if TYPE_CHECKING:
    from .merge import Faults

MAX_DUE_RUNS = 50


@dataclass(frozen=True, slots=True)
class Learner:
    """Learns from a run by reading its log."""

    log_view: LearningLogView
    run: Run
    thresholds: Thresholds
    decay: Decay = DEFAULT_DECAY

    async def catch_up(self) -> LearningState:
        """Learn from runs whose process was killed, oldest first, without reflection."""
        state = await self.log_view.read()
        for over in [one for one in state.due if one != self.run.id][-MAX_DUE_RUNS:]:
            result = await asyncio.to_thread(
                self.log_view.rebuild_result, over, state.origins.get(over, RunOrigin()).session
            )
            changed = await self.learn(await self.build_lesson(over, result)) if result else []
            for entry in changed:
                learning = to_learning(state, entry, self.decay)
                await self.run.emit(LearningSaved(await self.run.fold(hooks.on_learning, learning, run=self.run)))
            await self.run.emit(RunProcessed(over))
        await self.save(follow_rewinds(await self.log_view.read(), utc_now()))
        return self.log_view.state

    async def build_lesson(self, id: str, result: Result, *, messaged: bool = True) -> Lesson:
        """Return a finished run with the user's answers, and with the user's messages if there may be any."""
        state = self.log_view.state
        origin = state.origins.get(id, RunOrigin(project=result.task.project, session=result.task.session))
        known = Lesson(run=id, result=result, project=origin.project, at=utc_now(), thresholds=self.thresholds)
        messages = await asyncio.to_thread(self.log_view.read_messages, id, origin.session) if messaged else ()
        return replace(known, answers=tuple(state.answers.get(id, ())), messages=messages)

    async def learn(self, lesson: Lesson) -> list[LearningEntry]:
        """Credit the entries that the run was shown, record what it taught, and return the changed entries."""
        state = self.log_view.state
        faults = await self.credit(lesson)
        await self.save(archive_redone(state, lesson.project, lesson.at))
        return await self.note(lesson, warn_of_undone(state, lesson.project, lesson.at), faults, rules_applied=False)

    async def note(
        self,
        lesson: Lesson,
        more: Iterable[LearningEntry],
        faults: "Faults | None" = None,
        *,
        rules_applied: bool = True,
    ) -> list[LearningEntry]:
        """Log what the rules find in a run, unless ``rules_applied``, and ``more`` entries; return the changes.

        What the run had read is only looked up where something was found: it is the whole log of the run.
        """
        found = [*([] if rules_applied else extract_entries(lesson)), *more]
        if not found:
            return []
        from .pipeline import derive_changes
        from .sources import SourceReader

        state = self.log_view.state
        session = state.origins.get(lesson.run, RunOrigin(session=lesson.result.task.session)).session
        follow_up = bool(lesson.result.task.history) and any(one.trust is Trust.PERSON for one in found)
        sources = SourceReader(self.log_view, cache(lambda: self.run.koi.consents()))
        read = await asyncio.to_thread(sources.read, lesson.run, session, follow_up=follow_up)
        changed = derive_changes(state.entries.values(), lesson, found, read, redact, faults)
        for entry in changed:
            await self.run.emit(EntryUpdated(entry))
        if changed:
            await self.log_view.read()
        return changed

    async def credit(self, lesson: Lesson) -> "Faults | None":
        """Log the first attempt's outcome, and the changes to eligible entries; return the faults of those shown."""
        state, good = self.log_view.state, first_attempt_passed(lesson.result)
        visit = state.exposures.get(lesson.run)
        if visit is None or good is None:
            return None
        selection, other = visit.selection, lesson.run if lesson.run != self.run.id else ""
        every = [one for one in state.entries.values() if in_scope(one, selection.project)]
        if not every:
            if visit.passed is None:
                await self.run.emit(OutcomeCredited(good, (), other, ()))
                await self.log_view.read()
            return None
        from .credit_assignment import status_changes
        from .merge import Faults
        from .sameness import group_entries
        from .subjects import find_contents, link_subjects
        from .verdicts import judge_entries

        known = [one for one in every if one.is_live]
        verdicts = judge_entries(lesson.result, known, selection.shown)
        eligible = {*selection.shown, *selection.withheld}
        if visit.passed is None:
            blamed, confirmed, refuted = (
                tuple(sorted(some)) for some in (verdicts.blamed & eligible, verdicts.confirmed, verdicts.refuted)
            )
            unblamed = tuple(sorted(verdicts.unblamed))
            await self.run.emit(OutcomeCredited(good, blamed, other, confirmed, refuted, unblamed))
            await self.log_view.read()
            await self.save(link_subjects(lesson.result, every, verdicts))
            if good:
                showed = [one for one in known if one.id in selection.shown]
                await self.save(find_contents(lesson.result, showed, selection.task))
        groups = [{one.id for one in group} for group in group_entries(known)]
        rivals = frozenset[str]().union(*(ids for ids in groups if ids & verdicts.confirmed))
        affected = sorted(eligible | rivals | verdicts.confirmed | verdicts.refuted)
        await self.save(status_changes(state, affected, selection.project, lesson.at))
        shown = (one for one in known if one.id in verdicts.refuted & set(selection.shown))
        contradicted = {one.id for one in shown if not was_right_elsewhere(state, one, selection.project)}
        return Faults(frozenset(contradicted), verdicts.unheeded)

    async def save(self, entries: Iterable[LearningEntry]) -> None:
        """Log entries whose status changed."""
        changed = list(entries)
        for entry in changed:
            await self.run.emit(EntryUpdated(entry))
            await self.run.emit(LearningSaved(to_learning(self.log_view.state, entry, self.decay)))
        if changed:
            await self.log_view.read()

    async def recount(self, known: Collection[str] = ()) -> None:
        """Save entries whose figures have changed; the caller saves those that are ``known``."""
        state = await self.log_view.read()
        for id, saved in list(state.saved.items()):
            now = to_learning(state, state.known[id], self.decay)
            if id not in known and figures_differ(saved, now):
                await self.run.emit(LearningSaved(now))


def was_right_elsewhere(state: LearningState, entry: LearningEntry, project: str) -> bool:
    """Return whether an entry was right in a run of a project; if so, it may depend on a condition."""
    from .credit_assignment import is_confirmed

    return entry.scope == "project" and any(map(is_confirmed, state.all_evidence(entry, project)))


def redact(text: str) -> str:
    """Return a text without known secrets."""
    return current_redactor()(text)


def is_news(before: LearningEntry | None, entry: LearningEntry) -> bool:
    """Return whether to announce a change to other plugins; more evidence alone is not announced."""
    return before is None or (before.text, before.standing) != (entry.text, entry.standing)


def announce_changes(
    state: LearningState,
    before: Mapping[str, LearningEntry],
    changed: Sequence[LearningEntry],
    decay: Decay = DEFAULT_DECAY,
) -> list[Learning]:
    """Return the learnings to announce, each entry once."""
    latest = {entry.id: entry for entry in changed}
    return [to_learning(state, entry, decay) for id, entry in latest.items() if is_news(before.get(id), entry)]
