"""What words, vectors, neighbours and names say about a handful of documents, added up.

Knows numbers of documents only. The same sums as in ``fusion``, for the few documents that are left when a database
has answered: without columns, so that a search by words alone needs no NumPy.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

Scores = Mapping[int, float]
DIGITS = 9


def normalize_scores(scores: Scores) -> Scores:
    """Scale scores to between 0, for a document without any, and 1, the best."""
    most = max(scores.values(), default=0.0)
    return {doc: max(score, 0.0) / most for doc, score in scores.items()} if most > 0 else {}


def add_scores(words: Scores, near: Scores, weight: float) -> Scores:
    """Return the weighted sum of word and vector scores; word scores alone when there are no vectors."""
    if not near:
        return normalize_scores(words)
    by_word, by_vector = normalize_scores(words), normalize_scores(near)
    return {
        doc: (1 - weight) * by_word.get(doc, 0.0) + weight * by_vector.get(doc, 0.0) for doc in by_word.keys() | near
    }


def with_neighbours(scores: Scores, pairs: Iterable[tuple[int, int]], weights: Sequence[float]) -> Scores:
    """Add a share of the better of the pieces before and after, at each distance; ``pairs`` stand one after the other.

    What is further away than the next adds only to what has something already.
    """
    found, after = dict(scores), dict(pairs)
    apart = after
    for distance, weight in enumerate(weights, 1):
        for doc, score in beside(scores, apart).items():
            if distance == 1 or doc in found:
                found[doc] = found.get(doc, 0.0) + weight * score
        apart = {one: after[other] for one, other in apart.items() if other in after}
    return found


def beside(scores: Scores, apart: Mapping[int, int]) -> Scores:
    """The better score of the two pieces that each is paired with, one before and one after."""
    found: dict[int, float] = {}
    for one, other in apart.items():
        if (score := scores.get(other)) and score > found.get(one, 0.0):
            found[one] = score
        if (score := scores.get(one)) and score > found.get(other, 0.0):
            found[other] = score
    return found


def with_names(scores: Scores, having: Iterable[tuple[int, int]], asked: Collection[str], weight: float) -> Scores:
    """Add a share for the names that a document has of those in the question."""
    found = dict(scores)
    for doc, names in having:
        found[doc] = found.get(doc, 0.0) + weight * names / len(asked)
    return {doc: round(score, DIGITS) for doc, score in found.items()}
