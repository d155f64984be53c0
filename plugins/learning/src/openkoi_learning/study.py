"""Learning from runs that are over: from the one that just ended, and from those that a killed process left behind.

Everything goes to the run log of the run that is under way. To learn from a run twice comes to the same as once.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from openkoi_base.redact import current_redactor
from openkoi_hookspecs import Learning, Result, Run, hooks
from openkoi_hookspecs.events import LearningSaved

from .book import LearningState, Origin
from .decay import USUAL, Decay, now
from .entry import LearningEntry
from .events import Credited, Learned, Noted
from .figures import figures_differ, to_learning
from .judge import entries_to_blame, fault_of, stands, status_changes
from .lesson import Lesson, Thresholds, first_attempt_passed
from .shelf import LearningLogView
from .teach import taught
from .undone import taken_back, taken_up

MOST = 50


@dataclass(frozen=True, slots=True)
class Study:
    """What is learned in a run goes onto the shelf by way of its log."""

    shelf: LearningLogView
    run: Run
    thresholds: Thresholds
    decay: Decay = USUAL

    async def catch_up(self) -> LearningState:
        """Learn from runs whose process was killed, oldest first, without reflection."""
        book = await self.shelf.read()
        for over in [one for one in book.due if one != self.run.id][-MOST:]:
            result = await asyncio.to_thread(self.shelf.result, over, book.origins.get(over, Origin()).session)
            changed = await self.learn(self.lesson(over, result)) if result else []
            for entry in changed:
                learning = to_learning(book, entry, self.decay)
                await self.run.emit(LearningSaved(await self.run.fold(hooks.on_learning, learning, run=self.run)))
            await self.run.emit(Learned(over))
        return await self.shelf.read()

    def lesson(self, id: str, result: Result) -> Lesson:
        """A run that is over, with what a person said in it."""
        book = self.shelf.book
        project = book.origins.get(id, Origin(project=result.task.project)).project
        said, tongue = tuple(book.answers.get(id, ())), book.tongue(project)
        known = Lesson(run=id, result=result, project=project, at=now(), thresholds=self.thresholds)
        return replace(known, answers=said, tongue=tongue)

    async def learn(self, lesson: Lesson) -> list[LearningEntry]:
        """Credit what the run was shown, and note what it taught; return the entries that changed."""
        book = self.shelf.book
        guilty = await self.credit(lesson)
        await self.save(taken_up(book, lesson.project, lesson.at))
        return await self.note(lesson, taken_back(book, lesson.project, lesson.at), guilty, told=False)

    async def note(
        self, lesson: Lesson, more: Iterable[LearningEntry], guilty: Iterable[str] = (), *, told: bool = True
    ) -> list[LearningEntry]:
        """Note what the rules find in a run, unless they were ``told``, and what else was said; return the changes."""
        book = self.shelf.book
        session = book.origins.get(lesson.run, Origin(session=lesson.result.task.session)).session
        read = await asyncio.to_thread(self.shelf.heard, lesson.run, session)
        changed = taught(book.entries.values(), lesson, read, redact, more=more, blamed=set(guilty), told=told)
        for entry in changed:
            await self.run.emit(Noted(entry))
        await self.shelf.read()
        return changed

    async def credit(self, lesson: Lesson) -> set[str]:
        """Write down how the first attempt went, and what becomes of the entries; return those to blame."""
        book, good = self.shelf.book, first_attempt_passed(lesson.result)
        visit = book.visits.get(lesson.run)
        if visit is None or good is None:
            return set()
        told = visit.told
        eligible = [book.entries[id] for id in (*told.shown, *told.withheld) if id in book.entries]
        suspect = [] if good else [one for one in eligible if not stands(one, lesson.result)]
        guilty = entries_to_blame(suspect, fault_of(lesson.result, told.task, lesson.tongue))
        if visit.passed is None:
            other = lesson.run if lesson.run != self.run.id else ""
            await self.run.emit(Credited(good, tuple(guilty), other))
            await self.shelf.read()
        await self.save(status_changes(book, [one.id for one in eligible], told.project, lesson.at))
        return set(guilty) & set(told.shown)

    async def save(self, entries: Iterable[LearningEntry]) -> None:
        """Write down entries that stand otherwise now."""
        for entry in list(entries):
            await self.run.emit(Noted(entry))
            await self.run.emit(LearningSaved(to_learning(self.shelf.book, entry, self.decay)))
        await self.shelf.read()

    async def recount(self, known: Collection[str] = ()) -> None:
        """Save entries again whose figures have changed since; those that are ``known`` are saved by the caller."""
        book = await self.shelf.read()
        for id, saved in list(book.saved.items()):
            now = to_learning(book, book.entries[id], self.decay)
            if id not in known and figures_differ(saved, now):
                await self.run.emit(LearningSaved(now))


def redact(text: str) -> str:
    """A text without the secrets that we hold."""
    return current_redactor()(text)


def news(before: LearningEntry | None, entry: LearningEntry) -> bool:
    """Whether everyone is to know of a change: more evidence for the same is noted, and no news."""
    return before is None or (before.text, before.standing) != (entry.text, entry.standing)


def announce_changes(
    book: LearningState, before: Mapping[str, LearningEntry], changed: Sequence[LearningEntry], decay: Decay = USUAL
) -> list[Learning]:
    """What everyone is to know of, each entry once."""
    latest = {entry.id: entry for entry in changed}
    return [to_learning(book, entry, decay) for id, entry in latest.items() if news(before.get(id), entry)]
