"""Estimate from past runs whether a task needs a subject, and which of its entries is right there.

Words are those of the search engine. A subject is needed where the tasks that needed it share a word with this one, or
in every task of the project if most needed it. Where an embedder found similar tasks, it also counts how many of those
needed it. Of several entries about one subject the one wins that was right lately in tasks under the same conditions; a
condition is a word that makes it predictable which one is right.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from math import log

from openkoi_hookspecs.lazy_dataclass import dataclass

from .thresholds import (
    EARLIER_MAX,
    EARLIER_WEIGHT,
    EVERYWHERE_RUNS,
    EVERYWHERE_SHARE,
    FAMILIAR_LIFT,
    MAX_OBSERVATIONS,
    MIN_GAIN,
    MIN_RELEVANCE,
    MIN_RUNS,
    NEWER_WEIGHT,
    OTHER_WORD_PRIOR,
    OWN_WORD_PRIOR,
    PRIOR_RUNS,
    REFUTED_WEIGHT,
    STATED_GAIN,
    UNSEEN,
)

# How much similar tasks that did not need an entry count against words. Measured with MiniLM over 45 worlds of the gym:
# of 100 tasks, .863 of what the informed learner passes; .857 at .25, .826 at .5, and .818 without meaning.
SIMILAR_TASKS_WEIGHT = 0.4
# Share of common words from which two tasks are near-copies, which count as one. Measured: in the gym, tasks pass as
# often with shares from .5 to 1 over 15 worlds, and without the rule over 45.
NEAR_COPY_SHARE = 0.6

Words = frozenset[str]


@dataclass(frozen=True, slots=True)
class TaskHistory:
    """The tasks of a project, oldest first: how many, and the numbers of those with each word.

    ``similar`` are the numbers of those that mean much the same as the present task.
    """

    count: int
    with_word: Mapping[str, Sequence[int]]
    similar: Sequence[int] = ()

    def tasks_with(self, word: str, since: int) -> float:
        """Return how many tasks contain a word; tasks from before it was tracked count less."""
        return count_tasks(self.with_word.get(word, ()), since)


def count_tasks(numbers: Sequence[int], since: int) -> float:
    """Return how many tasks there are; those before ``since`` count less: needs were not tracked then."""
    later = len(numbers) - bisect_left(numbers, since)
    return later + min(EARLIER_MAX, EARLIER_WEIGHT * (len(numbers) - later))


class Basis(IntEnum):
    """What evidence comes from: a finding that advises it, an iteration without a finding about it, or a result.

    RESULT is a result that was accepted, or the entry's own check.
    """

    ADVICE = 0
    ITERATION = 1
    RESULT = 2


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for an entry or against it: a run's number, its task's words, and whether it was confirmed."""

    number: int
    words: Words
    confirmed: bool
    basis: Basis = Basis.RESULT


def needed_share(
    task: Words, needed: Collection[tuple[int, Words]], own: Collection[str], history: TaskHistory
) -> float:
    """Return how likely a task needs a subject that some tasks needed; ``own`` are the words of its entries.

    A word that is new, or that does not make the need likelier, says no more than how often the subject is needed.
    """
    since, usual = first_need(needed, history), usual_share(needed, history)
    shares = []
    for word in task:
        tasks = history.tasks_with(word, since)
        share = word_share(word, needed, word in own, usual, tasks)
        if tasks < MIN_RUNS or share >= min(FAMILIAR_LIFT * usual, MIN_RELEVANCE):
            shares.append(share)
    if is_needed_everywhere(needed, usual):
        shares.append(usual)
    by_words = max(shares, default=0.0)
    return min(1.0, add_meaning(by_words, needed, usual, history, since) if history.similar else by_words)


def first_need(needed: Iterable[tuple[int, Words]], history: TaskHistory) -> int:
    """Return the number of the first task that needed a subject."""
    return min((number for number, _ in needed), default=history.count)


def usual_share(needed: Collection[tuple[int, Words]], history: TaskHistory) -> float:
    """Return the share of tasks that needed a subject, since the first one that did."""
    return len(needed) / (history.count - first_need(needed, history) + 1)


def is_needed_everywhere(needed: Collection[tuple[int, Words]], usual: float) -> bool:
    """Return whether every task of a project needs a subject: most did, several of them unlike each other."""
    return usual >= EVERYWHERE_SHARE and count_unlike(needed, EVERYWHERE_RUNS) >= EVERYWHERE_RUNS


def count_unlike(tasks: Iterable[tuple[int, Words]], most: int) -> int:
    """Count tasks, near-copies of one task once, up to a number; another date or number makes no other task."""
    unlike: list[Words] = []
    for _, words in tasks:
        plain = frozenset(word for word in words if any(map(str.isalpha, word)))
        if not any(len(plain & one) >= NEAR_COPY_SHARE * len(plain | one) for one in unlike):
            unlike.append(plain)
        if len(unlike) == most:
            break
    return len(unlike)


def add_meaning(
    by_words: float, needed: Collection[tuple[int, Words]], usual: float, history: TaskHistory, since: int
) -> float:
    """Return how likely a task is to need a subject, by its words and by how many similar tasks needed it.

    Similar tasks that needed it are enough; those that did not only weaken what words say.
    """
    count = len({number for number, _ in needed}.intersection(history.similar))
    similar = prior_share(count, count_tasks(history.similar, since), min(OTHER_WORD_PRIOR, usual))
    return max(similar, by_words + SIMILAR_TASKS_WEIGHT * (similar - by_words))


def word_share(word: str, needed: Collection[tuple[int, Words]], own: bool, usual: float, tasks: float) -> float:
    """Return the share of a word's tasks that needed a subject; the entries' own words get a head start."""
    count = sum(word in words for _, words in needed)
    return prior_share(count, tasks, OWN_WORD_PRIOR if own else min(OTHER_WORD_PRIOR, usual))


def prior_share(count: int, tasks: float, prior: float) -> float:
    """Return the share of tasks that needed a subject, with those that are assumed in advance."""
    return (count + PRIOR_RUNS * prior) / (max(tasks, count) + PRIOR_RUNS)


def right_share(evidence: Sequence[Evidence], base: float) -> float:
    """Return how likely an entry is right: newer evidence counts for more, because projects change."""
    good, bad = base, 1 - base
    for one in sorted(evidence, key=lambda each: each.number):
        good, bad = good * NEWER_WEIGHT + one.confirmed, bad * NEWER_WEIGHT + (not one.confirmed)
    return good / (good + bad)


@dataclass(frozen=True, slots=True)
class Rivals:
    """The evidence for the entries of one subject, and the words that each entry ``states`` as its condition."""

    evidence: Mapping[str, Sequence[Evidence]]
    states: Mapping[str, Words]

    @property
    def observations(self) -> tuple[tuple[Words, str], ...]:
        """The words of each run's task, oldest first, with the entry that was right there, if any was."""
        runs: dict[int, tuple[Words, str]] = {}
        for id, some in self.evidence.items():
            for one in some:
                known = runs.get(one.number, (one.words, ""))[1]
                runs[one.number] = one.words, id if one.confirmed else known
        return tuple(runs[number] for number in sorted(runs))[-MAX_OBSERVATIONS:]

    def conditions(self) -> Words:
        """Return the words that decide which entry is right."""
        stated = frozenset((word, id) for id, words in self.states.items() for word in words)
        return find_conditions(self.observations, stated)

    def applicable(self, task: Words) -> Mapping[str, Sequence[Evidence]]:
        """Return the evidence under the conditions of a task, or all of it if there is none."""
        special = self.conditions()
        like = {
            id: [one for one in some if same_conditions(one.words & special, task & special)]
            for id, some in self.evidence.items()
        }
        return like if any(one.confirmed for some in like.values() for one in some) else self.evidence


def same_conditions(one: Words, other: Words) -> bool:
    """Return whether two tasks share a condition, or have none."""
    return bool(one & other) or not (one or other)


@lru_cache(maxsize=4_096)
def find_conditions(observations: Sequence[tuple[Words, str]], stated: frozenset[tuple[str, str]]) -> Words:
    """Return the words without which it is harder to predict which entry is right; one that is stated needs less.

    The best word first; another one counts by what it predicts among tasks that are alike so far, so that words which
    only go along with a condition are none.
    """
    outcomes = [outcome for _, outcome in observations]
    kinds = len(set(outcomes))
    if kinds < 2:
        return frozenset()
    known = frozenset[str]().union(*(words for words, _ in observations))
    places = {word: tuple(word in words for words, _ in observations) for word in known}
    bonus = {word: STATED_GAIN * is_stated(word, stated, observations) for word in known}
    alike: list[tuple[bool, ...]] = [()] * len(outcomes)  # which of the conditions so far hold in each task
    found = frozenset[str]()
    while rest := known - found:
        losses = {there: split_loss(outcomes, alike, kinds, there) for there in {places[word] for word in rest}}
        usual = split_loss(outcomes, alike, kinds)
        gains = {word: usual - losses[places[word]] + bonus[word] for word in rest}
        best = max(rest, key=lambda word: (gains[word], word))
        if gains[best] < MIN_GAIN:
            break
        found |= {word for word in rest if places[word] == places[best]}
        alike = [(*before, has) for before, has in zip(alike, places[best], strict=True)]
    return found


def is_stated(word: str, stated: Iterable[tuple[str, str]], observations: Sequence[tuple[Words, str]]) -> bool:
    """Return whether an entry states a word as its condition, and no other was right in a task with it."""
    ids = {id for one, id in stated if one == word}
    return len(ids) == 1 and ids == {outcome for words, outcome in observations if word in words}


def split_loss(
    outcomes: Sequence[str], alike: Sequence[tuple[bool, ...]], kinds: int, there: Sequence[bool] = ()
) -> float:
    """Return how badly outcomes are predicted among tasks that are ``alike``, and have or lack the same word."""
    parts = defaultdict[tuple[bool, ...], list[str]](list)
    for outcome, before, has in zip(outcomes, alike, there or [False] * len(outcomes), strict=True):
        parts[*before, has].append(outcome)
    return sum(total_loss(part, kinds) for part in parts.values())


def total_loss(outcomes: Sequence[str], kinds: int) -> float:
    """Return the total surprise at outcomes, each predicted from those before it; newer ones count more."""
    weights = dict.fromkeys(outcomes, 0.0)
    loss, total, newest = 0.0, 0.0, 1.0  # the weight of the newest grows, instead of all others' shrinking
    for one in outcomes:
        loss += log((total + UNSEEN * kinds * newest) / (weights[one] + UNSEEN * newest))
        newest /= NEWER_WEIGHT
        weights[one] += newest
        total += newest
    return loss


def score_rivals(evidence: Mapping[str, Sequence[Evidence]]) -> Mapping[str, float]:
    """Score the entries about one subject by how often and how recently each was right; refutations lower the score."""
    runs = sorted({one.number for some in evidence.values() for one in some})
    found = {id: {one.number: one.confirmed for one in some} for id, some in evidence.items()}
    scores = dict.fromkeys(evidence, 0.0)
    for run in runs:
        if any(some.get(run) for some in found.values()):
            scores = {id: score * NEWER_WEIGHT for id, score in scores.items()}
        for id, some in found.items():
            scores[id] = scores[id] * REFUTED_WEIGHT if some.get(run) is False else scores[id] + (run in some)
    return scores
