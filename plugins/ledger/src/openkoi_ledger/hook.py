"""The ledger in a run: what memory found is sifted, what the run taught is noted, and what was shown is credited.

Everything that it decides is written to the run log, and everything that it knows is read from there.
"""

import asyncio
from collections.abc import Iterable, Sequence
from os import environ
from pathlib import Path
from typing import Annotated

from openkoi_hookspecs import (
    Data,
    Hit,
    KoiError,
    Learning,
    LimitReached,
    Passage,
    Recall,
    Result,
    Run,
    Task,
    hookimpl,
)
from openkoi_hookspecs.events import LearningSaved, Warned
from openkoi_log import Redactor, environment_secrets

from .book import Book
from .choose import Asked, Choice, Rules, choose
from .credit import counts
from .entry import CHARACTERS_PER_TOKEN, Entry, entry_of, learning_of
from .extract import Lesson, first_findings, passed
from .judge import blamed, settled
from .moment import now
from .reflect import lessons, pays, question
from .shelf import Shelf
from .teach import taught
from .told import Credited, Noted, Shown
from .undone import taken_back, taken_up

SIMILAR = 3


class Ledger:
    """Keeps what was learned, as long as it helps. Settings: ``[hooks.ledger]``."""

    def __init__(
        self,
        *,
        sessions: Annotated[Path, Data("sessions")],
        entries: int = 8,
        tokens: int = 600,
        relevance: float = 0.2,
        withheld: float = 0.1,
        decay: float = 0.05,
        reflect: bool = True,
        first_tries: int = 5,
        reflection_seconds: float = 1.2,
    ) -> None:
        self.shelf = Shelf(sessions)
        self.rules = Rules(entries=entries, tokens=tokens, relevance=relevance, withheld=withheld, decay=decay)
        self.reflect = reflect
        self.first_tries = first_tries
        self.reflection_seconds = reflection_seconds

    @hookimpl
    async def after_recall(self, recall: Recall, task: Task, run: Run) -> Recall:
        """Show what is worth it, note what is shown, and what is withheld to see whether it matters."""
        book = await self.shelf.read()
        for learning in (hit.memo for hit in recall.hits if isinstance(hit.memo, Learning)):
            book.entries.setdefault(learning.id, entry_of(learning, now(), task.project))
        model, _ = book.origins.get(run.id, ("", ""))
        asked = Asked(run=run.id, text=task.text, project=task.project, model=model, now=now())
        choice = choose(book, asked, self.rules)
        shown, withheld = (tuple(one.id for one in part) for part in (choice.shown, choice.withheld))
        await run.emit(Shown(task.text, task.project, model, shown, withheld))
        return Recall((*hits(choice, book), *similar(recall, choice, self.rules)))

    @hookimpl
    async def before_learn(self, result: Result, run: Run) -> Sequence[Learning]:
        """Credit what was shown, then note what the run taught."""
        book = await self.shelf.read()
        guilty = await self.credit(book, result, run)
        _, project = book.origins.get(run.id, ("", result.task.project))
        await self.save(taken_up(book, project, now()), run)
        answers = tuple(book.answers.get(run.id, ()))
        lesson = Lesson(run=run.id, result=result, project=project, at=now(), answers=answers)
        more = [*taken_back(book, project, lesson.at), *await self.reflected(lesson, run)]
        read = await asyncio.to_thread(self.shelf.heard, run.id, run.task.session)
        redact = Redactor(environment_secrets(environ))
        before = dict(book.entries)
        changed = taught(before.values(), lesson, read, redact, more=more, blamed=guilty)
        for entry in changed:
            await run.emit(Noted(entry))
        return [counted(book, entry) for entry in changed if news(before.get(entry.id), entry)]

    async def credit(self, book: Book, result: Result, run: Run) -> set[str]:
        """Write down how the first attempt went, and what becomes of the entries; return those to blame."""
        visit, good = book.visits.get(run.id), passed(result)
        if visit is None or good is None or visit.passed is not None:
            return set()
        told = visit.told
        eligible = [book.entries[id] for id in (*told.shown, *told.withheld) if id in book.entries]
        guilty = [] if good else blamed(eligible, first_findings(result))
        await run.emit(Credited(good, tuple(guilty)))
        await self.shelf.read()
        await self.save(settled(book, [one.id for one in eligible], told.project, now()), run)
        return set(guilty) & set(told.shown)

    async def save(self, entries: Iterable[Entry], run: Run) -> None:
        """Write down entries that stand otherwise now."""
        for entry in list(entries):
            await run.emit(Noted(entry))
            await run.emit(LearningSaved(counted(self.shelf.book, entry)))
        await self.shelf.read()

    async def reflected(self, lesson: Lesson, run: Run) -> list[Entry]:
        """Ask a small model, once, where it pays; without money, time or an answer there is nothing."""
        if not self.reflect or not pays(lesson.result, run.id, self.first_tries):
            return []
        try:
            async with asyncio.timeout(self.reflection_seconds):
                return list(lessons(await run.chat(question(lesson.result)), lesson))
        except (LimitReached, TimeoutError):
            return []
        except KoiError as error:
            await run.emit(Warned(f"The ledger had nobody to reflect on the task with: {error}"))
            return []


def hits(choice: Choice, book: Book) -> Iterable[Hit]:
    """What is shown, with its counts."""
    told = zip(choice.shown, choice.relevance, strict=True)
    return [Hit(counted(book, entry), relevance) for entry, relevance in told]


def news(before: Entry | None, entry: Entry) -> bool:
    """Whether everyone is to know of a change: more evidence for the same is noted, and no news."""
    return before is None or (before.text, before.standing) != (entry.text, entry.standing)


def counted(book: Book, entry: Entry) -> Learning:
    """An entry as everyone knows it, with its counts as of now."""
    known = counts(book.uses(entry.id))
    return learning_of(entry, shown=known.shown, helpful=known.helpful, harmful=known.harmful)


def similar(recall: Recall, choice: Choice, rules: Rules) -> list[Hit]:
    """Past tasks, when what was learned leaves half of the room."""
    left = rules.tokens - sum(entry.tokens for entry in choice.shown)
    taken: list[Hit] = []
    for hit in recall.hits if left > rules.tokens / 2 else ():
        size = -(-len(hit.memo.text) // CHARACTERS_PER_TOKEN)
        if isinstance(hit.memo, Passage) and size <= left and len(taken) < SIMILAR:
            taken.append(hit)
            left -= size
    return taken
