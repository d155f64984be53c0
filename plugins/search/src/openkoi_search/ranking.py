"""Which documents answer a question: what their words, vectors, neighbours and names say, added up.

Knows what is asked of whoever has the documents, the tables or what is held of them; knows no statement.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from heapq import nlargest
from typing import TYPE_CHECKING, Protocol

from openkoi_hookspecs import Query

from .blending import Scores, add_scores, with_names, with_neighbours
from .fitting import FoundDocument, in_order
from .fusion import weights_for
from .names import names
from .shelves import TRANSCRIPT
from .words import terms

if TYPE_CHECKING:
    from .layers import Layers
    from .nearness import Meant, Vectors

ASKED = 64
SPARE, CONSIDERED = 20, 150
Pairs = Sequence[tuple[int, int]]


class Documents(Protocol):
    """A store of documents identified by numbers."""

    def seen_by(self, query: Query) -> Sequence[str]:
        """The shelves that a query sees: its project's and everyone's, or with another scope than that all."""

    def ranked(self, query: Query, shelves: Sequence[str], words: Collection[str], most: int) -> Scores:
        """The documents that the query asks for which answer these words best, by BM25."""

    def among(self, query: Query, docs: Collection[int]) -> Collection[int]:
        """Those of the documents that the query asks for."""

    def links(self, docs: Collection[int]) -> Pairs:
        """Pairs of pieces that were said one after the other, one of which at least is one of these."""

    def having(self, shelves: Sequence[str], words: Collection[str], docs: Collection[int]) -> Pairs:
        """These documents, and how many of the words each has."""

    def vectors(self, file: "Vectors") -> "Layers | None":
        """The vectors of the documents as they are now; raises Lost when who only holds them has lost them."""

    def fetched(self, scores: Scores) -> Sequence[FoundDocument]:
        """Read the documents that were scored, those that are still there."""


def query_words(query: Query) -> list[str]:
    """Return the words of a query, each once; find them before opening the file, since it takes time."""
    return list(dict.fromkeys(terms(query.text)))[:ASKED]


def answer(there: Documents, query: Query, words: list[str], meant: "Meant | None" = None) -> Sequence[FoundDocument]:
    """Find what answers the query, best first; all that has anything to do with it."""
    shelves, number = there.seen_by(query), query.limit + CONSIDERED
    scores = there.ranked(query, shelves, words, number) if words else {}
    near = nearest(there, meant, shelves, list(scores), number) if meant else {}
    if near and (query.kinds or query.keys):
        near = {doc: near[doc] for doc in there.among(query, list(near))}
    weights = weights_for(meant.vectors.weight if meant else 0.0)
    scores = add_scores(scores, near, weights.vectors)
    if scores and not query.keys and (not query.kinds or TRANSCRIPT in query.kinds):
        scores = with_neighbours(scores, there.links(list(scores)), weights.neighbours)
    scores = add_name_scores(there, query, shelves, scores, weights.names)
    found = there.fetched(most(scores, query.limit + SPARE))
    return in_order(replace(one, near=near.get(one.doc, 0.0)) for one in found)


def nearest(
    there: Documents, meant: "Meant", shelves: Sequence[str], docs: Sequence[int], number: int
) -> Mapping[int, float]:
    """What is near in meaning; asked for once more when the file of vectors turns out to be damaged."""
    from .sums import CorruptFileError

    try:
        return meant.near(there.vectors(meant.vectors), shelves, docs, number)
    except CorruptFileError as why:
        meant.vectors.give_up(why)
    return meant.near(there.vectors(meant.vectors), shelves, docs, number)


def add_name_scores(there: Documents, query: Query, shelves: Sequence[str], scores: Scores, weight: float) -> Scores:
    """Return the scores, raised for documents that contain the query's names."""
    asked = names(query.text)[:ASKED]
    having = there.having(shelves, asked, list(scores)) if asked and scores else []
    return with_names(scores, having, asked, weight)


def most(scores: Scores, number: int) -> Scores:
    """The best of the scores."""
    return dict(nlargest(number, scores.items(), key=lambda one: (one[1], -one[0])))
