"""Estimate from experience whether a task needs a subject, and which of its entries is right there.

Words are those of the search engine. A subject is needed where the tasks that needed it share a word with this one, or
in every task of the project if most needed it. Of several entries about one subject the likelier in such tasks wins.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import log

from openkoi_hookspecs.lazy_dataclass import dataclass

from .thresholds import (
    EARLIER_MAX,
    EARLIER_WEIGHT,
    EVERYWHERE_RUNS,
    EVERYWHERE_SHARE,
    MOST_TASKS,
    NEWER_WEIGHT,
    OTHER_WORD_PRIOR,
    OWN_WORD_PRIOR,
    PRIOR_RUNS,
    WORD_LIMIT,
    WORD_SMOOTHING,
)

Words = frozenset[str]


@dataclass(frozen=True, slots=True)
class TaskHistory:
    """The tasks of a project, oldest first: how many, and the numbers of those with each word."""

    count: int
    with_word: Mapping[str, Sequence[int]]

    def tasks_with(self, word: str, since: int) -> float:
        """Return how many tasks contain a word; those before a number count for less: it was not looked for then."""
        numbers = self.with_word.get(word, ())
        later = len(numbers) - bisect_left(numbers, since)
        return later + min(EARLIER_MAX, EARLIER_WEIGHT * (len(numbers) - later))


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for an entry or against it: a run's number, its task's words, and whether it was confirmed."""

    number: int
    words: Words
    confirmed: bool


def needed_share(task: Words, needed: Sequence[tuple[int, Words]], own: Collection[str], history: TaskHistory) -> float:
    """Return how likely a task needs a subject that some tasks needed; ``own`` are the words of its entries."""
    since = min((number for number, _ in needed), default=history.count)
    shares = [word_share(word, needed, word in own, history.tasks_with(word, since)) for word in task]
    if len(needed) >= EVERYWHERE_RUNS and len(needed) >= EVERYWHERE_SHARE * (history.count - since + 1):
        shares.append(len(needed) / (history.count - since + 1))
    return min(1.0, max(shares, default=0.0))


def word_share(word: str, needed: Sequence[tuple[int, Words]], own: bool, tasks: float) -> float:
    """Return the share of a word's tasks that needed a subject; a word of its own has a head start."""
    count = sum(word in words for _, words in needed)
    return (count + PRIOR_RUNS * (OWN_WORD_PRIOR if own else OTHER_WORD_PRIOR)) / (max(tasks, count) + PRIOR_RUNS)


def right_share(evidence: Sequence[Evidence], base: float) -> float:
    """Return how likely an entry is right: newer evidence counts for more, because projects change."""
    good, bad = base, 1 - base
    for one in sorted(evidence, key=lambda each: each.number):
        good, bad = good * NEWER_WEIGHT + one.confirmed, bad * NEWER_WEIGHT + (not one.confirmed)
    return good / (good + bad)


def likeliest(task: Words, rivals: Mapping[str, Sequence[Evidence]]) -> Mapping[str, float]:
    """Score the entries about one subject for a task: by how often and how lately each was right, and by its words."""
    every = sorted((one.number, id) for id, some in rivals.items() for one in some if one.confirmed)
    latest = {number: len(every) - place for place, (number, _) in enumerate(every, 1)}
    texts = [one.words for some in rivals.values() for one in some]
    return {
        id: log(0.1 + sum(NEWER_WEIGHT ** latest[one.number] for one in some if one.confirmed))
        + sum(word_weight(word in task, share, usual) for word, share, usual in word_shares(some, texts))
        for id, some in rivals.items()
    }


def word_shares(evidence: Sequence[Evidence], texts: Sequence[Words]) -> Iterator[tuple[str, float, float]]:
    """Yield each word of the tasks about a subject, its share of those in which an entry was right, and of all."""
    right = [one.words for one in evidence if one.confirmed]
    for word in frozenset[str]().union(*texts):
        usual = (sum(word in words for words in texts) + WORD_SMOOTHING) / (len(texts) + 2 * WORD_SMOOTHING)
        count = sum(word in words for words in right)
        yield word, (count + WORD_SMOOTHING * usual) / (len(right) + WORD_SMOOTHING), usual


def word_weight(present: bool, share: float, usual: float) -> float:
    """Return how much a word speaks for an entry by its presence, or one that most of its tasks have by its absence."""
    if not present and share <= MOST_TASKS:
        return 0.0
    weight = log(share / usual) if present else log((1 - share) / (1 - usual))
    return max(-WORD_LIMIT, min(WORD_LIMIT, weight))
