"""How much an entry is about a task, told from the words of both. Pure; knows no outcome and no other entry."""

from collections.abc import Collection, Mapping

from .entry import MANY, Entry
from .words import keys_in, overlap, terms

KEYED = 0.15
CIRCUMSTANTIAL = 0.5


def relevance_of(entry: Entry, words: frozenset[str], text: str, weights: Mapping[str, float], usual: float) -> float:
    """How much an entry is about a task: how many of the words that tasks have in common with it; names count extra.

    Two such words, or a third of them, are all that can be asked for: what is meant is said in other words each time.
    One that has none is for tasks like those in which it was seen.
    """
    heard = subject(entry, weights.keys())
    if heard:
        total, shared = (sum(weights.get(word, usual) for word in some) for some in (heard, heard & words))
        best = shared / max(2 * total / max(2, len(heard)), total / 3)
    else:
        best = CIRCUMSTANTIAL * overlap(words, entry.topic or terms(entry.text), weights, usual)
    named = {key.lower() for key in entry.keys} & set(keys_in(text))
    return min(1.0, best + (KEYED if named else 0.0))


def subject(entry: Entry, heard: Collection[str]) -> frozenset[str]:
    """The words that an entry is about: its own that were heard in tasks, and those that its tasks have in common.

    Nothing while it has none, and was seen in too few tasks to tell.
    """
    own = terms(entry.text) & frozenset(heard)
    return own | entry.topic if own or len(entry.when) >= MANY else own
