"""An index of any texts, in memory, searched as memory is: ``make_index(chunks)`` and then ``search(query, k)``.

For benchmarks, and for whoever has texts and no memory file. Knows no database.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from openkoi_hookspecs import Embedder

from .bm25 import CODE, Postings, postings
from .embedding import Embed, embedded, usual_embedder
from .fusion import LEXICAL, WITH_MEANING, WORDS_ALONE, Weights, added, best, with_neighbours
from .given import Told, ids_and_texts
from .names import names
from .words import terms

if TYPE_CHECKING:
    from .bm25 import Numbers, Scores
    from .scanning import Scanned
    from .sparse import Sparse

K = 10
SAMPLE, TOGETHER = 500, 1_024
CODE_SIGNS = (
    re.compile(r"\w[(\[]\S"),
    re.compile(r"[-+*/|&=!<>:]=|\s=\s|->|=>|::|&&"),
    re.compile(r"[:{};]\s*$", re.MULTILINE),
    re.compile(r"\b(?:def|return|import|func|fn|class|const|let|var|void|elif|struct|async|None|null)\b"),
    re.compile(r"\w_\w|\b[a-z]+[A-Z]\w|\w\.\w+\("),
)
SIGNS = 3


class Usual:
    """Stands for what is used when nothing is said."""


USUAL = Usual()
Id = TypeVar("Id", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Index(Generic[Id]):
    """Texts that can be searched. Called with a question, it tells the ids of the best."""

    ids: Sequence[Id]
    postings: Postings
    weights: Weights
    parts: "Numbers | None" = None
    vectors: "Scanned | Sparse | None" = None
    embed: Embed | None = None

    def __call__(self, query: str, k: int = K) -> list[Id]:
        """Return the ids of the ``k`` texts that answer best, best first; fewer when fewer have to do with it."""
        return [self.ids[number] for number in best(self.scores(query), k)]

    def scores(self, query: str) -> "Scores":
        """How well each text answers."""
        vector = self.embed([query])[0].tolist() if self.embed else None
        return self.scored(query, vector)

    def scored(self, query: str, vector: Sequence[float] | None = None) -> "Scores":
        """How well each text answers a question whose vector is known."""
        near = self.vectors.scores(vector) if self.vectors and vector is not None else None
        found = added(self.postings.scores(terms(query)), near, self.weights.vectors)
        found = with_neighbours(found, self.weights.neighbours, self.parts)
        if self.weights.names:
            found = found + self.weights.names * self.postings.shares(names(query)) * (found > 0)
        return found


@overload
def make_index(
    chunks: Mapping[Id, str],
    *,
    about: Sequence[str] = ...,
    parts: Sequence[Hashable] = ...,
    embedder: Embedder | Usual | None = ...,
    weights: Weights | None = ...,
) -> "Index[Id]": ...


@overload
def make_index(
    chunks: Sequence[str] | Iterator[str],
    *,
    about: Sequence[str] = ...,
    parts: Sequence[Hashable] = ...,
    embedder: Embedder | Usual | None = ...,
    weights: Weights | None = ...,
) -> "Index[int]": ...


@overload
def make_index(
    chunks: Iterable[tuple[Id, str] | Told[Id]],
    *,
    about: Sequence[str] = ...,
    parts: Sequence[Hashable] = ...,
    embedder: Embedder | Usual | None = ...,
    weights: Weights | None = ...,
) -> "Index[Id]": ...


def make_index(
    chunks: Mapping[Any, str] | Iterable[Any],
    *,
    about: Sequence[str] = (),
    parts: Sequence[Hashable] = (),
    embedder: Embedder | Usual | None = USUAL,
    weights: Weights | None = None,
) -> "Index[Any]":
    """Index texts in the order in which they were said or written; one before and after another is its context.

    Ids are positions, or what the texts are given with: the keys of a mapping, pairs of an id and a text, or things
    that have both. ``about`` says of each text who said it and when, ``parts`` to which conversation it belongs. An
    ``embedder`` counts beside words: the lexical one where it is installed and nothing is said; with None words count
    alone.
    """
    ids, texts = ids_and_texts(chunks)
    said = [f"{note} {text}" for note, text in zip(about, texts, strict=True)] if about else texts
    chosen = usual_embedder() if isinstance(embedder, Usual) else embedder
    code = is_code(texts)
    posted = postings([terms(text) for text in said], CODE) if code else postings([terms(text) for text in said])
    index = Index(ids, posted, weights or usual(chosen, code=code), numbered(parts))
    return with_vectors(index, said, chosen) if chosen and texts else index


def usual(embedder: Embedder | None, *, code: bool) -> Weights:
    """The weights that found most: code stands by itself, what is said is told by what is said beside it."""
    found = WITH_MEANING if embedder else WORDS_ALONE
    if embedder and embedder.id.startswith("lexical"):
        found = replace(WORDS_ALONE, vectors=LEXICAL)
    return replace(found, neighbours=0.0, names=0.0) if code else found


def is_code(texts: Sequence[str]) -> bool:
    """Whether most of these are pieces of programs rather than of speech, by the kinds of signs that are in them."""
    some = texts[:: max(1, len(texts) // SAMPLE)]
    return sum(sum(bool(sign.search(text)) for sign in CODE_SIGNS) >= SIGNS for text in some) > len(some) / 2


def with_vectors(index: Index[Id], texts: Sequence[str], embedder: Embedder) -> Index[Id]:
    """The same index, with a vector for each text."""
    embed = embedded(embedder)
    return replace(index, vectors=vectors_of(embed, texts), embed=embed)


def vectors_of(embed: Embed, texts: Sequence[str]) -> "Scanned | Sparse":
    """The vectors of texts, a number of them at a time; those that are mostly empty are held without their holes."""
    from .scanning import Scanned, joined
    from .sparse import is_sparse, sparse

    groups = (texts[start : start + TOGETHER] for start in range(0, len(texts), TOGETHER))
    matrices = map(embed, groups)
    first = next(matrices)
    return sparse(chain([first], matrices)) if is_sparse(first) else Scanned(joined([first, *matrices]))


def numbered(parts: Sequence[Hashable]) -> "Numbers | None":
    """A number for each part, in place of its name."""
    import numpy

    if not parts:
        return None
    known: dict[Hashable, int] = {}
    return numpy.array([known.setdefault(part, len(known)) for part in parts], numpy.int64)
