"""An index of any texts, in memory, searched as memory is: ``make_index(chunks)`` and then ``search(query, k)``.

For benchmarks, and for whoever has texts and no memory file. Knows no database.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from openkoi_hookspecs import Embedder

from .bm25 import CODE, K1, B, Postings, postings
from .embedding import UNSAID, Embed, Unsaid, chosen_embedder, make_embed
from .fusion import LEXICAL, MEANING, FusionWeights, add_scores, best, weights_for, with_neighbours
from .given import TextWithId, all_said, chunks_of, one_each
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

Id = TypeVar("Id", bound=Hashable)


@dataclass(frozen=True, slots=True)
class TextIndex(Generic[Id]):
    """Texts that can be searched. Called with a question, it tells the ids of the best."""

    ids: Sequence[Id]
    postings: Postings
    weights: FusionWeights
    parts: "Numbers | None" = None
    vectors: "Scanned | Sparse | None" = None
    embed: Embed | None = None

    def __call__(self, query: str, k: int = K) -> list[Id]:
        """Return the ids of the ``k`` best texts, best first; fewer when fewer match. Ids are unique."""
        scores = self.scores(query)
        found = dict.fromkeys(self.ids[number] for number in best(scores, k))
        if len(found) < min(k, len(self.ids)):
            found = dict.fromkeys(self.ids[number] for number in best(scores, len(self.ids)))
        return list(found)[: max(k, 0)]

    def scores(self, query: str) -> "Scores":
        """How well each text answers."""
        vector = self.embed([query])[0].tolist() if self.embed else None
        return self.scored(query, vector)

    def scored(self, query: str, vector: Sequence[float] | None = None) -> "Scores":
        """How well each text answers a question whose vector is known."""
        near = self.vectors.scores(vector) if self.vectors and vector is not None else None
        found = add_scores(self.postings.scores(terms(query)), near, self.weights.vectors)
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
    embedder: Embedder | str | Unsaid | None = ...,
    weights: FusionWeights | None = ...,
) -> "TextIndex[Id]": ...


@overload
def make_index(
    chunks: Sequence[str] | Iterator[str],
    *,
    about: Sequence[str] = ...,
    parts: Sequence[Hashable] = ...,
    embedder: Embedder | str | Unsaid | None = ...,
    weights: FusionWeights | None = ...,
) -> "TextIndex[int]": ...


@overload
def make_index(
    chunks: Iterable[tuple[Id, str] | TextWithId[Id]],
    *,
    about: Sequence[str] = ...,
    parts: Sequence[Hashable] = ...,
    embedder: Embedder | str | Unsaid | None = ...,
    weights: FusionWeights | None = ...,
) -> "TextIndex[Id]": ...


@overload
def make_index(
    chunks: Iterable[Mapping[str, Any]],
    *,
    about: Sequence[str] = ...,
    parts: Sequence[Hashable] = ...,
    embedder: Embedder | str | Unsaid | None = ...,
    weights: FusionWeights | None = ...,
) -> "TextIndex[Any]": ...


def make_index(
    chunks: Mapping[Any, str] | Iterable[Any],
    *,
    about: Sequence[str] = (),
    parts: Sequence[Hashable] = (),
    embedder: Embedder | str | Unsaid | None = UNSAID,
    weights: FusionWeights | None = None,
) -> "TextIndex[Any]":
    """Index texts in the order in which they were said or written; those before and after another are its context.

    Ids are places, or what the texts are given with: the keys of a mapping, pairs of an id and a text, or things that
    have both, as attributes or keys; the ``speaker``, ``date`` and ``session`` of these count when they are there.
    ``about`` says instead of each text who said it and when, ``parts`` to which conversation it belongs. An
    ``embedder``, or the name of one that is installed, counts beside words: the lexical one when nothing is said; with
    None words alone. Raises TypeError or ValueError that says what does not fit.
    """
    given = chunks_of(chunks)
    texts, said = [one.text for one in given], all_said(given, about)
    chosen = chosen_embedder(embedder)
    code = is_code(texts)
    posted = postings([terms(text) for text in said], CODE if code else (K1, B))
    sessions = number_groups(one_each("parts", parts if len(parts) else [one.session for one in given], texts))
    index = TextIndex([one.id for one in given], posted, weights or usual(chosen, code=code), sessions)
    return with_vectors(index, said, chosen) if chosen and texts else index


def usual(embedder: Embedder | None, *, code: bool) -> FusionWeights:
    """Return the best measured weights: code stands alone, and speech is understood from its context."""
    lexical = embedder is not None and embedder.id.startswith("lexical")
    found = weights_for(LEXICAL if lexical else MEANING if embedder else 0.0)
    return replace(found, neighbours=(), names=0.0) if code else found


def is_code(texts: Sequence[str]) -> bool:
    """Whether most of these are pieces of programs rather than of speech, by the kinds of signs that are in them."""
    some = texts[:: max(1, len(texts) // SAMPLE)]
    return sum(sum(bool(sign.search(text)) for sign in CODE_SIGNS) >= SIGNS for text in some) > len(some) / 2


def with_vectors(index: TextIndex[Id], texts: Sequence[str], embedder: Embedder) -> TextIndex[Id]:
    """The same index, with a vector for each text."""
    embed = make_embed(embedder)
    return replace(index, vectors=vectors_of(embed, texts), embed=embed)


def vectors_of(embed: Embed, texts: Sequence[str]) -> "Scanned | Sparse":
    """The vectors of texts, a number of them at a time; those that are mostly empty are held without their holes."""
    from .scanning import Scanned, stack_matrices
    from .sparse import is_sparse, sparse

    groups = (texts[start : start + TOGETHER] for start in range(0, len(texts), TOGETHER))
    matrices = map(embed, groups)
    first = next(matrices)
    return sparse(chain([first], matrices)) if is_sparse(first) else Scanned(stack_matrices([first, *matrices]))


def number_groups(parts: Sequence[Hashable]) -> "Numbers | None":
    """Return a number for each part, in place of its name."""
    import numpy

    if len(set(parts)) < 2:
        return None
    known: dict[Hashable, int] = {}
    return numpy.array([known.setdefault(part, len(known)) for part in parts], numpy.int64)
