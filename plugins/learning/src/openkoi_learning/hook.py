"""Connect learning to a run: select what it is shown, learn from it, and credit what was shown."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from openkoi_base.decision.facts import may_be_evaluated
from openkoi_hookspecs import (
    DataDir,
    Embedder,
    Env,
    Evaluation,
    Event,
    Hit,
    Inject,
    KoiError,
    Learning,
    LimitExceededError,
    Recall,
    Result,
    Run,
    SharedSetting,
    Task,
    hookimpl,
)
from openkoi_hookspecs.events import MessageAdded, RunFailed, WarningIssued
from openkoi_prompt import build_recall_text

from .decay import DECAY_PER_WEEK, MIN_WORTH, Decay, utc_now
from .entry import LearningEntry, archive_entry, entry_from_learning
from .events import EntriesShown, EntryUpdated, RunProcessed
from .figures import to_learning
from .log_view import LearningLogView
from .selection import Selection, SelectionRules, TaskQuery, select_entries
from .state import LearningState, RunOrigin
from .thresholds import MIN_RELEVANCE, PLATEAU_DELTA, REGRESSION_DELTA, Thresholds

if TYPE_CHECKING:
    from .learner import Learner
    from .lesson import Lesson
    from .recalled_tasks import PastTasks

COMPARISON_VARIABLE = "OPENKOI_LEDGER_DUEL"


class LearningHook:
    """Learns from runs, and shows what it learned while it helps. Settings: ``[hooks.learning]``."""

    def __init__(
        self,
        *,
        sessions: Annotated[Path, DataDir("sessions")],
        entries: int = 8,
        tokens: int = 600,
        relevance: float = MIN_RELEVANCE,
        withheld: float = 0.1,
        decay: Annotated[float, SharedSetting("memory.learning_decay_rate")] = DECAY_PER_WEEK,
        hide_below: Annotated[float, SharedSetting("learning.hide_below")] = MIN_WORTH,
        regression_delta: Annotated[float, SharedSetting("learning.regression_delta")] = REGRESSION_DELTA,
        plateau_delta: Annotated[float, SharedSetting("learning.plateau_delta")] = PLATEAU_DELTA,
        reflect: bool = True,
        first_tries: int = 5,
        reflection_seconds: float = 1.2,
        duel: Annotated[str, Env(COMPARISON_VARIABLE)] = "",
        embedder: Annotated[Embedder | None, Inject("embedders"), SharedSetting("models.embedder")] = None,
        cache: Annotated[Path | None, DataDir("cache")] = None,
    ) -> None:
        self.log_view = LearningLogView(sessions)
        decay_rules = Decay(decay, hide_below)
        self.rules = SelectionRules(
            entries=entries, tokens=tokens, relevance=relevance, withheld=withheld, decay=decay_rules
        )
        self.regression_delta, self.plateau_delta = regression_delta, plateau_delta
        self.reflect = reflect
        self.first_tries = first_tries
        self.reflection_seconds = reflection_seconds
        self.duel = duel
        self.embedder, self.cache = embedder, cache
        self.without_messages: set[str] = set()

    def learner(self, run: Run) -> "Learner":
        """Return the learner for a run."""
        from .learner import Learner

        thresholds = Thresholds(regression=self.regression_delta, plateau=self.plateau_delta)
        return Learner(self.log_view, run, thresholds, self.rules.decay)

    @hookimpl
    async def after_recall(self, recall: Recall, task: Task, run: Run) -> Recall:
        """Select the entries to show, log the selection, and hold some out to measure whether they matter."""
        if is_evaluation_only(task):
            return recall
        self.without_messages.add(run.id)
        state = await self.log_view.read()
        if state.rewound or state.before_rewind or any(one != run.id for one in state.due):
            state = await self.learner(run).catch_up()
        for learning in (hit.item for hit in recall.hits if isinstance(hit.item, Learning)):
            if learning.id not in state.known:
                state.save_entry(entry_from_learning(learning, utc_now(), task.project))
        model = state.origins.get(run.id, RunOrigin()).model
        query = TaskQuery(run=run.id, text=build_recall_text(task), project=task.project, model=model, now=utc_now())
        query = replace(query, similar=await self.find_similar_tasks(state, query, run))
        rules = self.rules
        if self.duel:
            state, query = prepare_comparison(state, query, self.duel)
        if self.duel or not may_be_evaluated(task):  # nothing is measured
            rules = replace(rules, withheld=0.0)
        choice, past = select_entries(state, query, rules), None
        if recall.hits:
            from .recalled_tasks import choose_past_tasks, find_similar

            past = choose_past_tasks(find_similar(recall, state, query, task), state, query, choice, rules)
        if not self.duel:
            await run.emit(*log_selection(state, query, choice, past))
        held_out = [*recall.held_out, *(one.text for one in choice.withheld), *(past.held_out if past else ())]
        return Recall((*entry_hits(choice, state), *(past.shown if past else ())), held_out)

    async def find_similar_tasks(self, state: LearningState, query: TaskQuery, run: Run) -> tuple[int, ...]:
        """Return the numbers of past tasks that mean much the same; none without an embedder."""
        if self.embedder is None or self.cache is None:
            return ()
        from .similar_tasks import SimilarTasks

        return await SimilarTasks(self.embedder, self.cache).find(state, query, run)

    @hookimpl
    async def after_evaluate(self, evaluation: Evaluation, run: Run) -> Evaluation | None:
        """Estimate the chance that another iteration pays off, if one is allowed."""
        from .stopping import estimate_prospect

        score = evaluation.score or 0.0
        if is_evaluation_only(run.task) or not (evaluation.red or score < run.task.effective_limits.quality_threshold):
            return None
        known = (await self.log_view.read()).iterations[run.task.project]
        prospect = estimate_prospect(known, len(run.iterations), evaluation)
        return replace(evaluation, prospect=prospect) if prospect else None

    @hookimpl
    def on_event(self, event: MessageAdded | RunFailed, run: Run) -> None:
        """Record that the user wrote a message in a run, so that its log is searched for corrections at its end.

        The log of a run that was resumed is always searched: its messages may be of an earlier process, and a run that
        failed is not kept in mind.
        """
        if isinstance(event, RunFailed) or event.from_user:
            self.without_messages.discard(run.id)

    @hookimpl
    async def before_learn(self, result: Result, run: Run) -> Sequence[Learning]:
        """Credit what was shown, then extract what the run taught; a comparison teaches nothing."""
        if self.duel or is_evaluation_only(run.task):
            await run.emit(RunProcessed(run.id))
            return []
        from .learner import announce_changes

        before = dict((await self.log_view.read()).entries)
        study = self.learner(run)
        lesson = await study.build_lesson(run.id, result, messaged=run.id not in self.without_messages)
        self.without_messages.discard(run.id)
        changed = await study.learn(lesson)
        if guesses := await self.ask_reflection(lesson, run):
            changed += await study.note(lesson, guesses)
        news = announce_changes(self.log_view.state, before, changed, self.rules.decay)
        await study.recount([one.id for one in news])
        await run.emit(RunProcessed(run.id))
        return news

    async def ask_reflection(self, lesson: "Lesson", run: Run) -> list[LearningEntry]:
        """Ask a small model once, if it is worth it; return nothing if budget, time or an answer is lacking."""
        from .reflection import build_request, is_worth_asking, make_lessons

        if not self.reflect or not is_worth_asking(lesson.result, run.id, self.first_tries):
            return []
        try:
            async with asyncio.timeout(self.reflection_seconds):
                return list(make_lessons(await run.chat(build_request(lesson.result)), lesson))
        except (LimitExceededError, TimeoutError):
            return []
        except KoiError as error:
            await run.emit(WarningIssued(f"Could not ask a model what to learn from this run: {error}"))
            return []


def is_evaluation_only(task: Task) -> bool:
    """Return whether a worker without models only evaluates existing work, which teaches nothing."""
    return task.agent is not None and bool(task.agent.worker) and task.agent.team is None


def entry_hits(choice: Selection, state: LearningState) -> Iterable[Hit]:
    """Return the shown entries with their figures."""
    pairs = zip(choice.shown, choice.relevance, strict=True)
    return [Hit(to_learning(state, entry), relevance) for entry, relevance in pairs]


def log_selection(
    state: LearningState, query: TaskQuery, choice: Selection, past: "PastTasks | None"
) -> Iterator[Event]:
    """Yield what to log of a selection, and of the past tasks that were found, if there are any."""
    shown, withheld = ([one.id for one in part] for part in (choice.shown, choice.withheld))
    if past:
        if past.entry.id not in state.past_tasks:
            yield EntryUpdated(past.entry)
        (shown if past.shown else withheld).append(past.entry.id)
    yield EntriesShown(query.text, query.project, query.model, tuple(shown), tuple(withheld))


def prepare_comparison(state: LearningState, query: TaskQuery, duel: str) -> tuple[LearningState, TaskQuery]:
    """Return the state for a comparison: ``with ID`` always shows the entry, ``without ID`` never does.

    The folder is a copy, so the project is the entry's.
    """
    from .user_actions import pin_entry

    side, _, id = duel.partition(" ")
    entry = state.known.get(id)
    if entry is None:
        raise KoiError(f"{COMPARISON_VARIABLE} is {duel!r}, but no such entry exists. Unset the variable.")
    decided = pin_entry(entry, query.now) if side == "with" else archive_entry(entry, query.now, "")
    copy = replace(state, entries={**state.entries}, past_tasks={**state.past_tasks})
    copy.save_entry(decided)
    return copy, replace(query, project=entry.project or query.project)
