"""Projects in which each topic needs one thing, and every task is worded anew from tables of synonyms.

A row of ``paraphrased_tasks.tsv`` is a topic: the half it is in, verbs, and names. The weight and the limits of meaning
were chosen on the half ``dev``; ``held`` was first run afterwards.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeAlias

from learning_builders import NEVER, NOW, entry

from openkoi_hookspecs import Record
from openkoi_learning.entry import EntryEvidence, LearningEntry
from openkoi_learning.events import EntriesShown, EntryUpdated, OutcomeCredited
from openkoi_learning.selection import TaskQuery, select_entries
from openkoi_learning.state import LearningState

ASIDES = (
    "before Friday", "for the new customer", "as discussed", "and keep it short", "like last time", "for the review",
    "with care", "after the meeting", "soon", "", "", "",
)  # fmt: skip
TASKS = 60
ROWS = Path(__file__).with_name("paraphrased_tasks.tsv").read_text("utf-8").splitlines()
FindSimilar: TypeAlias = Callable[[LearningState, TaskQuery], Sequence[int]]


class Selected(NamedTuple):
    """The share of needed entries that were shown, and how many others each task was shown."""

    recall: float
    harmful: float


def run_project(half: str, seed: int, find: FindSimilar) -> Selected:
    """Do tasks about random topics; the first one of a topic teaches its entry, each later one confirms it."""
    random, state, found, needed, harmful = Random(f"{half} {seed}"), LearningState(), 0, 0, 0
    topics = [[part.split(" / ") for part in row.split("\t")[1:]] for row in ROWS if row.startswith(f"{half}\t")]
    taught: dict[int, LearningEntry] = {}
    for number in range(TASKS):
        topic = random.randrange(len(topics))
        verbs, names = topics[topic]
        text = f"{random.choice(verbs)} the {random.choice(names)} {random.choice(ASIDES)}".strip()
        query = TaskQuery(run=f"{number:04}", text=text, project="pond", now=NOW)
        query = replace(query, similar=tuple(find(state, query)))
        shown = [one.id for one in select_entries(state, query, NEVER).shown]
        right = taught.get(topic)
        needed += right is not None
        found += right is not None and right.id in shown
        harmful += sum(id != (right and right.id) for id in shown)
        log_task(state, query, shown, taught.setdefault(topic, make_lesson(topic, query)))
    return Selected(found / needed, harmful / TASKS)


def make_lesson(topic: int, query: TaskQuery) -> LearningEntry:
    """What the first task about a topic teaches: nothing in it is in the words of the task."""
    title = f"setting{topic} is wrong"
    proof = EntryEvidence(run=query.run, finding=title)
    return entry(f"{title}: Use `value{topic}`.", subject=f"check c{topic}", when=(query.text,), proofs=(proof,))


def log_task(state: LearningState, query: TaskQuery, shown: Sequence[str], needed: LearningEntry) -> None:
    """Log a task: what it was shown, and what it taught or confirmed."""
    known = needed.id in state.entries
    passed, confirmed = needed.id in shown, (needed.id,) if known else ()
    events = [
        EntriesShown(query.text, "pond", "m", tuple(shown)),
        OutcomeCredited(passed, (), "", confirmed),
        *([] if known else [EntryUpdated(needed)]),
    ]
    for event in events:
        state.apply(Record(query.run, NOW, query.run, event))
