"""Search texts by each of our methods, and by fused ranks, which others use, for comparison."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from benchmarks.contestants.texts import K, Search, measured, read
from benchmarks.turns import Turn, take_part

CANDIDATES, RANK_SMOOTHING = 170, 60
WAYS = (
    "words (BM25)",
    "vectors",
    "ranks fused",
    "weighted sum",
    "+ the next texts",
    "+ those after them",
    "+ the words around",
    "+ names",
    "+ questions last",
    "words, neighbours, names",
    "by default, as memory searches",
    "by default, without an embedder",
)


def searched() -> Turn:
    """Return a turn that asks all questions about texts by one method."""
    ways = cache(lambda talk: make_ways(read(talk)))
    return lambda asked: measured(ways(asked["talk"])[WAYS[asked["way"]]], read(asked["talk"])["questions"])


class Nearest:
    """The texts in the order of their cosines with a question."""

    def __init__(self, texts: Sequence[str]) -> None:
        from openkoi_search.embedders import embed_texts, make_embed
        from openkoi_search.lexical import Lexical

        self.embed = make_embed(Lexical())
        self.vectors = embed_texts(self.embed, texts)

    def __call__(self, text: str, number: int = K) -> list[int]:
        """Return the nearest."""
        rows, _ = self.vectors.nearest(self.embed([text])[0].tolist(), number)
        nearest: list[int] = rows.tolist()
        return nearest


def make_ways(data: Mapping[str, Any]) -> Mapping[str, Search]:
    """Return the compared search methods, by name."""
    from openkoi_search import make_index
    from openkoi_search.fusion import LEXICAL_WEIGHT, STANDALONE, FusionWeights
    from openkoi_search.lexical import Lexical

    weight = LEXICAL_WEIGHT
    index = make_index(data["turns"], about=data["about"], parts=data["parts"], embedder=Lexical())
    nearest = Nearest(data["texts"])

    def weighed(weights: FusionWeights) -> Search:
        chosen = replace(index, weights=weights)
        return lambda text: chosen(text, K)

    def fused(text: str) -> list[int]:
        return fuse_ranks([replace(index, weights=STANDALONE).rank(text, CANDIDATES), nearest(text, CANDIDATES)])[:K]

    best, spread = FusionWeights(vectors=weight), FusionWeights().neighbours
    searches = (
        weighed(STANDALONE),
        nearest,
        fused,
        weighed(replace(STANDALONE, vectors=weight)),
        weighed(replace(STANDALONE, vectors=weight, neighbours=spread[:1])),
        weighed(replace(STANDALONE, vectors=weight, neighbours=spread)),
        weighed(replace(best, names=0, questions=0)),
        weighed(replace(best, questions=0)),
        weighed(best),
        weighed(FusionWeights()),
        weighed(index.weights),
        weighed(replace(index.weights, vectors=0)),
    )
    return dict(zip(WAYS, searches, strict=True))


def fuse_ranks(orders: Sequence[Sequence[int]]) -> list[int]:
    """Return the results of several searches by their summed reciprocal ranks, as others do."""
    scores: dict[int, float] = {}
    for order in orders:
        for rank, one in enumerate(order, 1):
            scores[one] = scores.get(one, 0.0) + 1 / (RANK_SMOOTHING + rank)
    return sorted(scores, key=lambda one: -scores[one])


if __name__ == "__main__":
    take_part({"openkoi": searched})
