"""Connect learning to a run: keep similar past tasks that memory found, learn from the run, credit what was shown."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from openkoi_hookspecs import (
    DataDir,
    Embedder,
    Env,
    Evaluation,
    Hit,
    Inject,
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
from openkoi_hookspecs.events import MessageAdded, WarningIssued
from openkoi_prompt import build_recall_text

from .content import has_phrase, terms_of
from .decay import DECAY_PER_WEEK, MIN_WORTH, Decay, utc_now
from .effectiveness import count_outcomes, holdout_rate, is_harmful, random_share
from .entry import CHARACTERS_PER_TOKEN, LearningEntry, entry_from_learning
from .events import EntriesShown, RunProcessed
from .figures import to_learning
from .log_view import LearningLogView
from .provenance import quotes_source
from .selection import Selection, SelectionRules, TaskQuery, in_scope, select_entries
from .state import LearningState, RunOrigin
from .text_similarity import names_in
from .thresholds import MIN_RELEVANCE, PLATEAU_DELTA, REGRESSION_DELTA, USUAL_TOKENS, Thresholds

if TYPE_CHECKING:
    from .learner import Learner
    from .lesson import Lesson

COMPARISON_VARIABLE = "OPENKOI_LEDGER_DUEL"
MAX_SIMILAR_TASKS = 3
MIN_WORDS = 0.5  # share of a task's words that a similar past task contains (estimate)
MIN_SIMILARITY = 0.35  # cosine of this task and a similar past task (estimate)


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
            state.entries.setdefault(learning.id, entry_from_learning(learning, utc_now(), task.project))
        model = state.origins.get(run.id, RunOrigin()).model
        query = TaskQuery(run=run.id, text=build_recall_text(task), project=task.project, model=model, now=utc_now())
        query = replace(query, similar=await self.find_similar_tasks(state, query, run))
        if self.duel:
            choice = select_entries(*prepare_comparison(state, query, self.duel), replace(self.rules, withheld=0.0))
            return Recall(
                (
                    *entry_hits(choice, state),
                    *fit_past_tasks(find_similar(recall, state, query, task), choice, self.rules),
                )
            )
        choice = select_entries(state, query, self.rules)
        past = fit_past_tasks(find_similar(recall, state, query, task), choice, self.rules)
        shown_ids, held = ([one.id for one in part] for part in (choice.shown, choice.withheld))
        if past and not shows_past_tasks(state, query, self.rules):
            past, held = [], [*held, past_tasks_id(query.project)]
        elif past:
            shown_ids.append(past_tasks_id(query.project))
        await run.emit(EntriesShown(query.text, task.project, model, tuple(shown_ids), tuple(held)))
        return Recall((*entry_hits(choice, state), *past))

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
    def on_event(self, event: MessageAdded, run: Run) -> None:
        """Note a run in which the user wrote a message, so that its log is searched for corrections at its end.

        The log of a run that was resumed is always searched, because its messages may be of an earlier process.
        """
        if event.from_user:
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
        """Ask a small model once, if it is worth it; return nothing without budget, time or an answer."""
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


def prepare_comparison(state: LearningState, query: TaskQuery, duel: str) -> tuple[LearningState, TaskQuery]:
    """Return the state for a comparison: ``with ID`` always shows the entry, ``without ID`` never does.

    The folder is a copy, so the project is the entry's.
    """
    from .user_actions import pin_entry

    side, _, id = duel.partition(" ")
    entry = state.entries.get(id)
    if entry is None:
        raise KoiError(f"{COMPARISON_VARIABLE} is {duel!r}, but no such entry exists. Unset the variable.")
    others = {one.id: one for one in state.entries.values() if one.id != id}
    entries = {**others, id: pin_entry(entry, query.now)} if side == "with" else others
    return replace(state, entries=entries), replace(query, project=entry.project or query.project)


def find_similar(recall: Recall, state: LearningState, query: TaskQuery, task: Task) -> Recall:
    """Return the hits that resemble the task or share a name with its input, without lines that repeat entries.

    A lesson is in a prompt once, and one that is archived or held out does not return through a past task.
    """
    tasks = [terms_of(text) for text in {task.text, query.text}]
    known = [one for one in state.entries.values() if in_scope(one, query.project)]
    given = names_in(query.text.removeprefix(task.text))
    alike = [hit for hit in recall.hits if is_like(hit, tasks) or given & names_in(hit.item.text)]
    cut = [replace(hit, item=replace(hit.item, text=drop_known_lines(hit.item.text, known))) for hit in alike]
    return Recall([hit for hit in cut if hit.item.text])


def is_like(hit: Hit, tasks: Iterable[frozenset[str]]) -> bool:
    """Return whether a hit is like a task, in meaning or in most of its words."""
    words = terms_of(hit.item.text)
    return hit.similarity >= MIN_SIMILARITY or any(one and len(one & words) >= MIN_WORDS * len(one) for one in tasks)


def drop_known_lines(text: str, known: Iterable[LearningEntry]) -> str:
    """Return a text without the lines that repeat an entry; empty if they repeat an archived one."""
    repeated = [one for one in known if any(repeats(line, one) for line in text.splitlines())]
    if any(not one.is_live for one in repeated):
        return ""
    return "\n".join(line for line in text.splitlines() if not any(repeats(line, one) for one in repeated))


def repeats(line: str, entry: LearningEntry) -> bool:
    """Return whether a line of a past task says what an entry says, in its words or by its content."""
    content = entry.visible_content
    return quotes_source(entry.stance, (line,)) or (
        bool(content) and all(has_phrase(line.lower(), one) for one in content)
    )


def fit_past_tasks(recall: Recall, choice: Selection, rules: SelectionRules) -> list[Hit]:
    """Return the past tasks that fit into the tokens and items that the entries leave."""
    left = min(rules.tokens, USUAL_TOKENS) - sum(entry.tokens for entry in choice.shown)
    chosen: list[Hit] = []
    for hit in recall.hits:
        size = -(-len(hit.item.text) // CHARACTERS_PER_TOKEN)
        room = min(MAX_SIMILAR_TASKS, rules.entries - len(choice.shown)) - len(chosen)
        if isinstance(hit.item, Passage) and size <= left and room > 0:
            chosen.append(hit)
            left -= size
    return chosen


def past_tasks_id(project: str) -> str:
    """Return the log's name for the past tasks of a project, which are credited together like one entry."""
    return f"past tasks of {project}"


def shows_past_tasks(state: LearningState, query: TaskQuery, rules: SelectionRules) -> bool:
    """Return whether to show past tasks: not in runs that hold them out, nor after such runs show that they do harm."""
    uses = state.outcomes(past_tasks_id(query.project))
    if is_harmful(uses, state.success_rate(query.project)):
        return False
    rate = holdout_rate(count_outcomes(uses), rules.withheld, proved=False)
    return random_share(query.run, past_tasks_id(query.project)) >= rate
