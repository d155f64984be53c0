"""Combine the word, vector, neighbour and name scores of the best documents, without NumPy."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

Scores = Mapping[int, float]
# A word of a question: what it adds to a text of average length, and which documents contain it.
WordMatch: TypeAlias = tuple[float, Collection[int]]
Steps: TypeAlias = Iterable[tuple[Mapping[int, int], tuple[float, ...]]]
DIGITS = 9


def normalize_scores(scores: Scores) -> Scores:
    """Scale scores to between 0, for a document without a score, and 1, for the best."""
    best = max(scores.values(), default=0.0)
    return {doc: max(score, 0.0) / best for doc, score in scores.items()} if best > 0 else {}


def add_scores(words: Scores, vectors: Scores, weight: float) -> Scores:
    """Return the weighted sum of word and vector scores; word scores alone when there are no vectors."""
    if not vectors:
        return normalize_scores(words)
    by_word, by_vector = normalize_scores(words), normalize_scores(vectors)
    return {
        doc: (1 - weight) * by_word.get(doc, 0.0) + weight * by_vector.get(doc, 0.0) for doc in by_word.keys() | vectors
    }


def with_context(
    scores: Scores,
    words: Iterable[WordMatch],
    after: Mapping[int, int],
    *,
    before_shares: tuple[float, ...],
    after_shares: tuple[float, ...],
) -> Scores:
    """Add a share for each word that a document lacks but a neighbour has: answers rarely repeat the question's words.

    ``after`` is the next document of each; ``before_shares`` are those of the documents before one, the nearest first.
    """
    found = dict(scores)
    steps = ((after, before_shares), ({other: one for one, other in after.items()}, after_shares))
    for rarity, docs in words:
        lacking = {doc: share for doc, share in reach_around(docs, steps) if doc not in docs}
        unscored = {doc: 1.0 for doc in docs if doc not in scores}
        for doc, share in (lacking | unscored).items():
            found[doc] = found.get(doc, 0.0) + share * rarity
    return found


def reach_around(docs: Collection[int], steps: Steps) -> Iterator[tuple[int, float]]:
    """Yield the neighbours of some documents with their share for a word, smaller shares first."""
    reached = [
        (doc, share)
        for following, shares in steps
        for distance, share in enumerate(shares, 1)
        for doc in walk(docs, following, distance)
    ]
    yield from sorted(reached, key=lambda pair: pair[1])


def walk(docs: Iterable[int], following: Mapping[int, int], distance: int) -> Collection[int]:
    """Return the documents at a distance after some documents."""
    for _ in range(distance):
        docs = [following[doc] for doc in docs if doc in following]
    return list(docs)


def with_neighbours(scores: Scores, pairs: Iterable[tuple[int, int]], weights: Sequence[float]) -> Scores:
    """Add a share of the better score of the chunks before and after, at each distance.

    ``pairs`` are consecutive chunks. A chunk further away adds only to documents that already have a score.
    """
    found, after = dict(scores), dict(pairs)
    apart = after
    for distance, weight in enumerate(weights, 1):
        for doc, score in better_neighbours(scores, apart).items():
            if distance == 1 or doc in found:
                found[doc] = found.get(doc, 0.0) + weight * score
        apart = {one: after[other] for one, other in apart.items() if other in after}
    return found


def better_neighbours(scores: Scores, apart: Mapping[int, int]) -> Scores:
    """Return the better score of the two chunks that each chunk is paired with, one before and one after."""
    found: dict[int, float] = {}
    for one, other in apart.items():
        if (score := scores.get(other)) and score > found.get(one, 0.0):
            found[one] = score
        if (score := scores.get(one)) and score > found.get(other, 0.0):
            found[other] = score
    return found


def lower_scores(scores: Scores, docs: Collection[int], share: float) -> Scores:
    """Subtract a share from the scores of some documents."""
    return {doc: score * (1 - share) if doc in docs else score for doc, score in scores.items()}


def with_names(
    scores: Scores, having: Iterable[tuple[int, int]], query_names: Collection[str], weight: float
) -> Scores:
    """Add a share for the question's names that a document contains."""
    found = dict(scores)
    for doc, names in having:
        found[doc] = found.get(doc, 0.0) + weight * names / len(query_names)
    return {doc: round(score, DIGITS) for doc, score in found.items()}
