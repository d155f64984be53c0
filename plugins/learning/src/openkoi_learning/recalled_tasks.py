"""Choose the past tasks that a run is shown, of those that memory found: they share the entries' limits and credit."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from openkoi_base.counts import format_count
from openkoi_hookspecs import Hit, LearningStatus, Passage, Recall, Task
from openkoi_hookspecs.lazy_dataclass import dataclass

from .content import has_phrase, terms_of
from .effectiveness import count_outcomes, holdout_rate, random_share
from .entry import CHARACTERS_PER_TOKEN, PAST_TASKS, LearningEntry, Trust, entry_id
from .selection import Selection, SelectionRules, TaskQuery, in_scope
from .state import LearningState
from .text_similarity import names_in
from .thresholds import MIN_RUNS, USUAL_TOKENS

PREFIX = "past-tasks"
TEXT = "Past tasks of this project that resemble the current task"
MAX_SIMILAR_TASKS = 3
MIN_WORDS = 0.5  # share of a task's words that a similar past task contains (estimate)
MIN_SIMILARITY = 0.35  # cosine of this task and a similar past task (estimate)


@dataclass(frozen=True, slots=True)
class PastTasks:
    """The past tasks that were found for a run: it is shown them, or does without to measure whether they help."""

    entry: LearningEntry
    shown: Sequence[Hit] = ()
    held_out: Sequence[str] = ()


def choose_past_tasks(
    similar: Recall, state: LearningState, query: TaskQuery, choice: Selection, rules: SelectionRules
) -> PastTasks | None:
    """Return the past tasks that fit next to the entries; None if there are none, or they were withdrawn."""
    entry, found = past_tasks_of(state, query), fit_past_tasks(similar, choice, rules)
    if not (found and entry.is_live):
        return None
    if is_held_out(state, entry, query, rules):
        return PastTasks(entry, held_out=(format_count(len(found), "similar past task"),))
    return PastTasks(entry, shown=found)


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
    """Return whether a line of a past task repeats an entry, in its words or by its content."""
    from .provenance import quotes_source

    content = entry.visible_content
    return quotes_source(entry.stance, (line,)) or (
        bool(content) and all(has_phrase(line.lower(), one) for one in content)
    )


def fit_past_tasks(recall: Recall, choice: Selection, rules: SelectionRules) -> list[Hit]:
    """Return past tasks that fit what the entries leave of the usual tokens and of the items."""
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
    """Return the id of the entry that represents a project's past tasks."""
    return f"{PREFIX}-{entry_id(PAST_TASKS, '', project)[:6]}"


def past_tasks_of(state: LearningState, query: TaskQuery) -> LearningEntry:
    """Return the entry that represents a project's past tasks, which are credited and withdrawn as one entry.

    A digest is data that runs and their models wrote, so that it never becomes an instruction.
    """
    id = past_tasks_id(query.project)
    facts: dict[str, object] = {"origin": PAST_TASKS, "trust": Trust.TOOL, "standing": LearningStatus.ACTIVE}
    new = LearningEntry(id, "fact", TEXT, project=query.project, since=query.now, **facts)  # type: ignore[arg-type]  # by field name
    return state.past_tasks.get(id, new)


def is_held_out(state: LearningState, past: LearningEntry, query: TaskQuery, rules: SelectionRules) -> bool:
    """Return whether a run does without past tasks, to measure whether they help: less often once that is known."""
    known = count_outcomes(state.outcomes(past.id))
    rate = rules.withheld if known.withheld < MIN_RUNS else holdout_rate(known, rules.withheld, proved=False)
    return not past.pinned and random_share(query.run, past.id) < rate
