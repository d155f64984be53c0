"""How much a task is like those in which an entry was needed, told from its words. Pure; knows no other entry.

Experience comes first: how often a word has meant what the entry is about. What only the words of both say counts as
far as experience does not speak against it; two words of the entry's own in a task are enough by themselves.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from .entry import MANY, LearningEntry
from .words import keys_in, overlap, terms

OWN = SURE = 0.5
NAMED = 0.15
STRONGEST = 2
CIRCUMSTANTIAL = 0.5
BEYOND = 3.0
HALF, MOST = 0.5, 0.7


@dataclass(frozen=True, slots=True)
class WordStatistics:
    """In how many tasks of a project each word stood: in all, in those where an entry's subject ``came`` up, and in
    those where it was shown for that word and nothing was wrong with it, so that nobody knows whether it was needed."""

    all: Mapping[str, int]
    came: Mapping[str, float]
    well: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Weighed:
    """The words of a task, and how much words say in its project, the rarer the more; ``usual``: one never heard."""

    text: str
    words: frozenset[str]
    weights: Mapping[str, float]
    usual: float


def evidence(entry: LearningEntry, words: Collection[str], heard: WordStatistics) -> dict[str, float]:
    """How often each word of a task has meant what an entry is about, of the times that could tell."""
    own = terms(entry.text)
    shares = {word: share(heard, word, mine=word in own) for word in words}
    return {word: part for word, part in shares.items() if part > 0}


def share(heard: WordStatistics, word: str, *, mine: bool) -> float:
    """Of the tasks with a word that could tell, those in which an entry was needed; its own words have a start."""
    came = heard.came.get(word, 0)
    told = max(came, heard.all.get(word, 0) - heard.well.get(word, 0))
    return (came + OWN * mine) / (told + SURE + SURE * mine)


def relevance_of(entry: LearningEntry, told: Mapping[str, float], task: Weighed) -> float:
    """How much an entry is about a task: what its two strongest words say; names that both have count extra."""
    known = sum(sorted(told.values(), reverse=True)[:STRONGEST]) / STRONGEST
    alike = likeness(entry, task)
    plain = len(terms(entry.text) & task.words) >= STRONGEST
    named = {key.lower() for key in entry.keys} & set(keys_in(task.text))
    return min(1.0, max(known, alike if plain else min(alike, BEYOND * known)) + (NAMED if named else 0.0))


def likeness(entry: LearningEntry, task: Weighed) -> float:
    """How many of the words that tasks have in common with an entry a task has, rare ones counting for more.

    Two such words, or a third of them, are all that can be asked for: what is meant is said in other words each time.
    One that has none is for tasks like those in which it was seen.
    """
    mine = subject(entry, task.weights.keys())
    if not mine:
        return CIRCUMSTANTIAL * overlap(task.words, entry.topic or terms(entry.text), task.weights, task.usual)
    total, shared = (sum(task.weights.get(word, task.usual) for word in some) for some in (mine, mine & task.words))
    return shared / max(2 * total / max(2, len(mine)), total / 3)


def holds(task: Weighed, text: str) -> float:
    """How much of what a task says stands in a text, 0.0 to 1.0."""
    said = {word: task.weights.get(word, task.usual) for word in task.words}
    return sum(said[word] for word in task.words & terms(text)) / sum(said.values()) if said else 0.0


def resembles(task: Weighed, text: str) -> bool:
    """Whether a text is like a task: it has half of what that says, or most of its words, or a name that it has."""
    if not task.words:
        return False
    plain = len(task.words & terms(text)) >= MOST * len(task.words)
    return plain or holds(task, text) >= HALF or bool({*keys_in(task.text)} & {*keys_in(text)})


def subject(entry: LearningEntry, heard: Collection[str]) -> frozenset[str]:
    """The words that an entry is about: its own that were heard in tasks, and those that its tasks have in common.

    Nothing while it has none, and was seen in too few tasks to tell.
    """
    own = terms(entry.text) & frozenset(heard)
    return own | entry.topic if own or len(entry.when) >= MANY else own
