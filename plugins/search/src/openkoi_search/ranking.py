"""Rank what a memory or an index finds for a query: add up the scores of words (BM25), vectors, neighbours and names.

``Documents`` is implemented by a database's tables and by ``InMemoryDocuments``.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from openkoi_hookspecs import Query

from .fusion import FusionWeights
from .hit_selection import FoundDocument, sort_documents
from .names import find_names
from .scopes import TRANSCRIPT
from .sparse_fusion import (
    Scores,
    WordMatch,
    add_scores,
    lower_scores,
    with_context,
    with_names,
    with_neighbours,
)
from .words import ASKING, index_terms

MAX_QUERY_WORDS = 64
# Candidates beyond the limit: of the scored ones to read, and of each search to score (estimates).
EXTRA_READ, EXTRA_CANDIDATES = 20, 150
EXTRA_CONTEXT = 30  # of the scored ones, those whose surroundings are looked at: 10 to 150 find the same
Pairs = Sequence[tuple[int, int]]


D_contra = TypeVar("D_contra", contravariant=True)


class Similarity(Protocol[D_contra]):
    """The similarity of documents to a question apart from shared words. ``weight`` is relative to the words'."""

    @property
    def weight(self) -> float:
        """The weight of this similarity, from 0 to 1."""

    @property
    def tells_meaning(self) -> bool:
        """Whether it measures similarity of meaning, so that it is reported with a hit."""

    def measure(
        self, documents: D_contra, scopes: Sequence[str], docs: Collection[int], most: int
    ) -> Mapping[int, float]:
        """Return the cosines of these documents, and of the nearest others that are near enough."""


class Documents(Protocol):
    """A store of documents identified by numbers."""

    def visible_scopes(self, query: Query) -> Sequence[str]:
        """Return the scopes that a query may see: its project's and everyone's, or all scopes if it is not limited."""

    def rank_by_words(self, query: Query, scopes: Sequence[str], words: Collection[str], most: int) -> Scores:
        """Return the documents within the query's filters that answer these words best, by BM25."""

    def filter_documents(self, query: Query, docs: Collection[int]) -> Collection[int]:
        """Return the documents, among these, that match the query's kinds and keys."""

    def find_neighbours(self, docs: Collection[int]) -> Pairs:
        """Return pairs of consecutive chunks that include at least one of these."""

    def find_words(
        self, scopes: Sequence[str], words: Collection[str], docs: Collection[int]
    ) -> Mapping[str, WordMatch]:
        """Return the known words among these, each with the documents that contain it."""

    def fetch_documents(self, scores: Scores) -> Sequence[FoundDocument]:
        """Return the scored documents with their texts, those that still exist."""


D = TypeVar("D", bound=Documents)


def query_words(query: Query) -> list[str]:
    """Return the words of a query, each once; call it before opening the file, since it takes time."""
    return list(dict.fromkeys(index_terms(query.text)))[:MAX_QUERY_WORDS]


def rank_documents(
    documents: D,
    query: Query,
    words: list[str],
    similarity: "Similarity[D] | None" = None,
    weights: FusionWeights | None = None,
) -> Sequence[FoundDocument]:
    """Return all documents that match the query, best first; by default with the best measured weights."""
    weights = weights or FusionWeights(vectors=similarity.weight if similarity else 0.0)
    scopes, number = documents.visible_scopes(query), query.limit + EXTRA_CANDIDATES
    scores = documents.rank_by_words(query, scopes, words, number) if words else {}
    is_spoken = not query.keys and (not query.kinds or TRANSCRIPT in query.kinds)
    if is_spoken and (weights.before or weights.after):
        scores = top_scores(add_context_scores(documents, query, words, scores, weights), number)
    near = similarity.measure(documents, scopes, list(scores), number) if similarity else {}
    if near and (query.kinds or query.keys):
        near = {doc: near[doc] for doc in documents.filter_documents(query, list(near))}
    scores = add_scores(scores, near, weights.vectors)
    if scores and is_spoken and weights.neighbours:
        scores = with_neighbours(scores, documents.find_neighbours(list(scores)), weights.neighbours)
    scores = adjust_scores(documents, query, scopes, scores, weights)
    found = documents.fetch_documents(top_scores(scores, query.limit + EXTRA_READ))
    return sort_documents(
        replace(hit, near=near.get(hit.doc, 0.0)) if similarity and similarity.tells_meaning else hit for hit in found
    )


def add_context_scores(
    documents: Documents, query: Query, words: Collection[str], scores: Scores, weights: FusionWeights
) -> Scores:
    """Raise the scores of texts whose neighbours, up to two places away, contain the words."""
    best = top_scores(scores, query.limit + EXTRA_CONTEXT)
    after = dict(documents.find_neighbours(list(best)))
    after |= dict(documents.find_neighbours([doc for doc in {*after, *after.values()} if doc not in best]))
    if not after:
        return scores
    matches = documents.find_words(documents.visible_scopes(query), words, {*after, *after.values()})
    return with_context(scores, matches.values(), after, before_shares=weights.before, after_shares=weights.after)


def adjust_scores(
    documents: Documents, query: Query, scopes: Sequence[str], scores: Scores, weights: FusionWeights
) -> Scores:
    """Return the scores, raised for documents that contain the query's names, and lowered for documents that ask."""
    names = find_names(query.text)[:MAX_QUERY_WORDS] if weights.names else []
    matches = documents.find_words(scopes, [*names, ASKING], list(scores)) if scores else {}
    having = Counter(doc for name in names if name in matches for doc in matches[name][1])
    asking = matches[ASKING][1] if ASKING in matches else ()
    return with_names(lower_scores(scores, asking, weights.questions), having.items(), names, weights.names)


def top_scores(scores: Scores, number: int) -> Scores:
    """Return the best of the scores."""
    best = sorted(sorted(scores), key=scores.__getitem__, reverse=True)[:number]
    return {doc: scores[doc] for doc in best}
