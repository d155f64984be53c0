"""An index of any texts, in memory, searched as memory is: ``make_index(chunks)`` and then ``search(query, k)``.

For benchmarks, and for whoever has texts and no memory file. Knows no database.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from openkoi_hookspecs import Embedder

from .bm25 import Postings, postings
from .fusion import LEXICAL, WITH_MEANING, WORDS_ALONE, Weights, added, best, with_neighbours
from .names import names
from .words import terms

if TYPE_CHECKING:
    from .bm25 import Numbers, Scores
    from .scanning import Scanned

K = 10
SAMPLE, CODE = 500, 0.04
Id = TypeVar("Id")


@dataclass(frozen=True, slots=True)
class Index(Generic[Id]):
    """Texts that can be searched. Called with a question, it tells the ids of the best."""

    ids: Sequence[Id]
    postings: Postings
    weights: Weights
    parts: "Numbers | None" = None
    vectors: "Scanned | None" = None
    embed: Callable[[Sequence[str]], Sequence[Sequence[float]]] | None = None

    def __call__(self, query: str, k: int = K) -> list[Id]:
        """Return the ids of the ``k`` texts that answer best, best first; fewer when fewer have to do with it."""
        return [self.ids[number] for number in best(self.scores(query), k)]

    def scores(self, query: str) -> "Scores":
        """How well each text answers."""
        vector = self.embed([query])[0] if self.embed else None
        return self.scored(query, vector)

    def scored(self, query: str, vector: Sequence[float] | None = None) -> "Scores":
        """How well each text answers a question whose vector is known."""
        near = self.vectors.scores(vector) if self.vectors and vector is not None else None
        found = added(self.postings.scores(terms(query)), near, self.weights.vectors)
        found = with_neighbours(found, self.weights.neighbours, self.parts)
        if self.weights.names:
            found = found + self.weights.names * self.postings.shares(names(query)) * (found > 0)
        return found


def make_index(
    chunks: Sequence[str] | Mapping[Id, str],
    *,
    about: Sequence[str] = (),
    parts: Sequence[str] = (),
    embedder: Embedder | None = None,
    weights: Weights | None = None,
) -> "Index[int] | Index[Id]":
    """Index texts in the order in which they were said or written; one before and after another is its context.

    Ids are positions, or the keys of a mapping. ``about`` says of each text who said it and when, ``parts`` to which
    conversation it belongs. With an ``embedder`` meaning counts beside words.
    """
    texts = list(chunks.values()) if isinstance(chunks, Mapping) else list(chunks)
    said = [f"{note} {text}" for note, text in zip(about, texts, strict=True)] if about else texts
    ids = list(chunks) if isinstance(chunks, Mapping) else range(len(texts))
    posted = postings([terms(text) for text in said])
    index = Index(ids, posted, weights or usual(texts, embedder), numbered(parts))
    return with_vectors(index, said, embedder) if embedder and texts else index  # type: ignore[return-value]  # of ids


def usual(texts: Sequence[str], embedder: Embedder | None) -> Weights:
    """The weights that found most: code stands by itself, what is said is told by what is said beside it."""
    found = WITH_MEANING if embedder else WORDS_ALONE
    if embedder and embedder.id.startswith("lexical"):
        found = replace(WORDS_ALONE, vectors=LEXICAL)
    return replace(found, neighbours=0.0, names=0.0) if is_code(texts) else found


def is_code(texts: Sequence[str]) -> bool:
    """Whether these are pieces of programs rather than of speech, by the signs that are in them."""
    some = "".join(texts[:: max(1, len(texts) // SAMPLE)])
    return sum(map(some.count, "(){}[]=_;<>")) > CODE * len(some)


def with_vectors(index: Index[Id], texts: Sequence[str], embedder: Embedder) -> Index[Id]:
    """The same index, with a vector for each text."""
    from .scanning import Scanned, matrix_of

    def embed(texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return waited_for(embedder, texts)

    return replace(index, vectors=Scanned(matrix_of(embed(texts))), embed=embed)


def waited_for(embedder: Embedder, texts: Sequence[str]) -> Sequence[Sequence[float]]:
    """Embed, also where an event loop is under way in this thread."""
    from concurrent.futures import ThreadPoolExecutor

    async def embedded() -> Sequence[Sequence[float]]:
        return (await embedder.embed(texts)).vectors

    with ThreadPoolExecutor(1) as apart:
        return apart.submit(lambda: asyncio.run(embedded())).result()


def numbered(parts: Sequence[str]) -> "Numbers | None":
    """A number for each part, in place of its name."""
    import numpy

    if not parts:
        return None
    known: dict[str, int] = {}
    return numpy.array([known.setdefault(part, len(known)) for part in parts], numpy.int64)
