"""Score how similar a task is to those in which an entry was needed, by its words.

Experience counts first: how often a word meant the entry's subject. Words shared by text and task count unless
experience contradicts them; two of the entry's own words in a task are enough.
"""

from collections.abc import Collection, Mapping

from openkoi_hookspecs.lazy_dataclass import dataclass

from .entry import MIN_TASKS, LearningEntry
from .text_similarity import keys_in, stem_terms, weighted_overlap

# Estimates, checked by the simulated users of the tests.
OWN_WORD_PRIOR = PRIOR = 0.5
NAME_BONUS = 0.15
COUNTED_WORDS = 2
TOPIC_WEIGHT = 0.5
MAX_TEXT_FACTOR = 3.0
MIN_WEIGHT_SHARE, MIN_WORD_SHARE = 0.5, 0.7


@dataclass(frozen=True, slots=True)
class WordStatistics:
    """How many tasks of a project contain each word.

    ``all`` counts all tasks, ``subject_counts`` those in which an entry's subject came up, ``ignored_counts`` those in
    which it was shown for that word without a finding, so that it is unknown whether it was needed.
    """

    all: Mapping[str, int]
    subject_counts: Mapping[str, float]
    ignored_counts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class WeightedTask:
    """The words of a task, and the weights of words in its project; ``usual`` is that of an unknown word."""

    text: str
    words: frozenset[str]
    weights: Mapping[str, float]
    usual: float


def score_words(entry: LearningEntry, words: Collection[str], statistics: WordStatistics) -> dict[str, float]:
    """Return the share of each word's tasks in which the entry was needed, of those that could tell."""
    own = stem_terms(entry.text)
    shares = {word: needed_share(statistics, word, mine=word in own) for word in words}
    return {word: part for word, part in shares.items() if part > 0}


def needed_share(statistics: WordStatistics, word: str, *, mine: bool) -> float:
    """Return the share of a word's tasks in which an entry was needed; its own words have a head start."""
    came = statistics.subject_counts.get(word, 0)
    informative = max(came, statistics.all.get(word, 0) - statistics.ignored_counts.get(word, 0))
    return (came + OWN_WORD_PRIOR * mine) / (informative + PRIOR + PRIOR * mine)


def relevance_of(entry: LearningEntry, scores: Mapping[str, float], task: WeightedTask) -> float:
    """Return how relevant an entry is to a task: its two strongest words; names that both contain count extra."""
    known = sum(sorted(scores.values(), reverse=True)[:COUNTED_WORDS]) / COUNTED_WORDS
    alike = topic_share(entry, task)
    plain = len(stem_terms(entry.text) & task.words) >= COUNTED_WORDS
    named = {key.lower() for key in entry.keys} & set(keys_in(task.text))
    return min(
        1.0, max(known, alike if plain else min(alike, MAX_TEXT_FACTOR * known)) + (NAME_BONUS if named else 0.0)
    )


def topic_share(entry: LearningEntry, task: WeightedTask) -> float:
    """Return the weighted share of the entry's topic words that a task contains.

    Two such words, or a third of them, are enough: people use other words each time. An entry without any matches tasks
    like those in which it was seen.
    """
    mine = subject_words(entry, task.weights.keys())
    if not mine:
        return TOPIC_WEIGHT * weighted_overlap(
            task.words, entry.topic or stem_terms(entry.text), task.weights, task.usual
        )
    total, shared = (sum(task.weights.get(word, task.usual) for word in some) for some in (mine, mine & task.words))
    return shared / max(2 * total / max(2, len(mine)), total / 3)


def contained_share(task: WeightedTask, text: str) -> float:
    """Return how much of a task's words a text contains, 0.0 to 1.0."""
    weights = {word: task.weights.get(word, task.usual) for word in task.words}
    return sum(weights[word] for word in task.words & stem_terms(text)) / sum(weights.values()) if weights else 0.0


def is_similar(task: WeightedTask, text: str) -> bool:
    """Return whether a text is like a task: by half of its words' weight, most of its words, or a common name."""
    if not task.words:
        return False
    plain = len(task.words & stem_terms(text)) >= MIN_WORD_SHARE * len(task.words)
    return plain or contained_share(task, text) >= MIN_WEIGHT_SHARE or bool({*keys_in(task.text)} & {*keys_in(text)})


def subject_words(entry: LearningEntry, known: Collection[str]) -> frozenset[str]:
    """Return the words that an entry is about: its own that occur in tasks, and those that its tasks share.

    None while it has none, and was seen in too few tasks.
    """
    own = stem_terms(entry.text) & frozenset(known)
    return own | entry.topic if own or len(entry.when) >= MIN_TASKS else own
