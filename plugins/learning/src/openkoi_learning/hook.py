"""Connect learning to a run: filter what memory finds, learn from the run, and credit what was shown."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from openkoi_hookspecs import (
    DataDir,
    Env,
    Hit,
    KoiError,
    Learning,
    LimitExceededError,
    Passage,
    Recall,
    Result,
    Run,
    SharedSetting,
    Task,
    hookimpl,
)
from openkoi_hookspecs.events import WarningIssued
from openkoi_prompt import build_recall_text
from openkoi_settings import keys

from .book import LearningState, Origin
from .choose import Selection, SelectionRules, TaskQuery, choose, in_scope
from .decay import PER_WEEK, WORTH_KEEPING, Decay, now
from .deeds import pin_entry
from .duel import VARIABLE
from .entry import CHARACTERS_PER_TOKEN, LearningEntry, entry_of
from .events import Learned, Shown
from .figures import to_learning
from .lesson import Lesson, Thresholds
from .reflect import lessons, pays, question
from .relevance import resembles
from .shelf import LearningLogView
from .study import Study, announce_changes
from .trust import quotes

SIMILAR = 3
MEANT = 0.35


class LearningHook:
    """Keeps what was learned, as long as it helps. Settings: ``[hooks.learning]``."""

    def __init__(
        self,
        *,
        sessions: Annotated[Path, DataDir("sessions")],
        entries: int = 8,
        tokens: int = 600,
        relevance: float = 0.25,
        withheld: float = 0.1,
        decay: Annotated[float, SharedSetting(keys.LEARNING_DECAY_RATE.name)] = PER_WEEK,
        prune_below: Annotated[float, SharedSetting(keys.PRUNE_BELOW.name)] = WORTH_KEEPING,
        regression_delta: Annotated[float, SharedSetting(keys.REGRESSION_DELTA.name)] = keys.REGRESSION_DELTA.default,
        plateau_delta: Annotated[float, SharedSetting(keys.PLATEAU_DELTA.name)] = keys.PLATEAU_DELTA.default,
        reflect: bool = True,
        first_tries: int = 5,
        reflection_seconds: float = 1.2,
        duel: Annotated[str, Env(VARIABLE)] = "",
    ) -> None:
        self.shelf = LearningLogView(sessions)
        fading = Decay(decay, prune_below)
        self.rules = SelectionRules(
            entries=entries, tokens=tokens, relevance=relevance, withheld=withheld, decay=fading
        )
        self.thresholds = Thresholds(regression=regression_delta, plateau=plateau_delta)
        self.reflect = reflect
        self.first_tries = first_tries
        self.reflection_seconds = reflection_seconds
        self.duel = duel

    @hookimpl
    async def after_recall(self, recall: Recall, task: Task, run: Run) -> Recall:
        """Show what is worth it, note what is shown, and what is withheld to see whether it matters."""
        if only_judged(task):
            return recall
        book = await Study(self.shelf, run, self.thresholds, self.rules.decay).catch_up()
        for learning in (hit.item for hit in recall.hits if isinstance(hit.item, Learning)):
            book.entries.setdefault(learning.id, entry_of(learning, now(), task.project))
        model = book.origins.get(run.id, Origin()).model
        asked = TaskQuery(run=run.id, text=build_recall_text(task), project=task.project, model=model, now=now())
        if self.duel:
            choice = choose(*prepare_comparison(book, asked, self.duel), replace(self.rules, withheld=0.0))
            return Recall((*hits(choice, book), *similar(near(recall, book, asked, task), choice, self.rules)))
        choice = choose(book, asked, self.rules)
        shown, withheld = (tuple(one.id for one in part) for part in (choice.shown, choice.withheld))
        await run.emit(Shown(asked.text, task.project, model, shown, withheld))
        return Recall((*hits(choice, book), *similar(near(recall, book, asked, task), choice, self.rules)))

    @hookimpl
    async def before_learn(self, result: Result, run: Run) -> Sequence[Learning]:
        """Credit what was shown, then note what the run taught and what a model makes of it; a duel teaches nothing."""
        if self.duel or only_judged(run.task):
            await run.emit(Learned(run.id))
            return []
        before = dict((await self.shelf.read()).entries)
        study = Study(self.shelf, run, self.thresholds, self.rules.decay)
        lesson = study.lesson(run.id, result)
        changed = await study.learn(lesson)
        if guesses := await self.ask_reflection(lesson, run):
            changed += await study.note(lesson, guesses)
        news = announce_changes(self.shelf.book, before, changed, self.rules.decay)
        await study.recount([one.id for one in news])
        await run.emit(Learned(run.id))
        return news

    async def ask_reflection(self, lesson: Lesson, run: Run) -> list[LearningEntry]:
        """Ask a small model once, where it pays; return nothing without budget, time or an answer."""
        if not self.reflect or not pays(lesson.result, run.id, self.first_tries):
            return []
        try:
            async with asyncio.timeout(self.reflection_seconds):
                return list(lessons(await run.chat(question(lesson.result)), lesson))
        except (LimitExceededError, TimeoutError):
            return []
        except KoiError as error:
            await run.emit(WarningIssued(f"Could not ask a model what to learn from this run: {error}"))
            return []


def only_judged(task: Task) -> bool:
    """Whether a worker without models brings work that others did: it shows nothing about what was learned."""
    return task.agent is not None and bool(task.agent.worker) and task.agent.team is None


def hits(choice: Selection, book: LearningState) -> Iterable[Hit]:
    """What is shown, with its counts."""
    told = zip(choice.shown, choice.relevance, strict=True)
    return [Hit(to_learning(book, entry), relevance) for entry, relevance in told]


def prepare_comparison(book: LearningState, asked: TaskQuery, duel: str) -> tuple[LearningState, TaskQuery]:
    """The ledger as a duel wants it: ``with ID`` shows the entry whatever is known of it, ``without ID`` never does.

    The folder is a copy, so that the project is the entry's.
    """
    side, _, id = duel.partition(" ")
    entry = book.entries.get(id)
    if entry is None:
        raise KoiError(f"{VARIABLE} is {duel!r}, but no such entry exists. Unset it.")
    others = {one.id: one for one in book.entries.values() if one.id != id}
    entries = {**others, id: pin_entry(entry, asked.now)} if side == "with" else others
    return replace(book, entries=entries), replace(asked, project=entry.project or asked.project)


def near(recall: Recall, book: LearningState, asked: TaskQuery, task: Task) -> Recall:
    """Return the hits that resemble the task, or its input, in words or meaning, without what entries say already.

    An entry is shown as one or not at all: a lesson stands in a prompt once, and one that was archived or is withheld
    does not come back by way of a past task.
    """
    tasks = [book.weigh_task(text, asked.project) for text in {task.text, asked.text}]
    known = [one for one in book.entries.values() if in_scope(one, asked.project)]
    alike = [
        hit for hit in recall.hits if hit.similarity >= MEANT or any(resembles(one, hit.item.text) for one in tasks)
    ]
    cut = [replace(hit, item=replace(hit.item, text=drop_known_lines(hit.item.text, known))) for hit in alike]
    return Recall([hit for hit in cut if hit.item.text])


def drop_known_lines(text: str, known: Iterable[LearningEntry]) -> str:
    """Return a text without the lines that repeat an entry; empty if they repeat an archived one."""
    repeated = [one for one in known if quotes(one.stance, (text,))]
    if any(not one.live for one in repeated):
        return ""
    lines = text.splitlines()
    return "\n".join(line for line in lines if not any(quotes(one.stance, (line,)) for one in repeated))


def similar(recall: Recall, choice: Selection, rules: SelectionRules) -> list[Hit]:
    """Past tasks, when what was learned leaves half of the room."""
    left = rules.tokens - sum(entry.tokens for entry in choice.shown)
    taken: list[Hit] = []
    for hit in recall.hits if left > rules.tokens / 2 else ():
        size = -(-len(hit.item.text) // CHARACTERS_PER_TOKEN)
        if isinstance(hit.item, Passage) and size <= left and len(taken) < SIMILAR:
            taken.append(hit)
            left -= size
    return taken
