"""Index any texts in memory: ``make_index(chunks)`` and then ``search(query, k)``.

For benchmarks, and for programs that have texts but no memory file.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from openkoi_hookspecs import Embedder
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .bm25 import CODE_SHAPE, K1, B, Postings, build_postings
from .embedders import NOT_GIVEN, Embed, NotGiven, make_embed, resolve_embedder
from .fusion import (
    LEXICAL_WEIGHT,
    MEANING_WEIGHT,
    FusionWeights,
    add_scores,
    best_positions,
    weights_for,
    with_neighbours,
)
from .input_texts import TextWithId, check_length, indexed_texts, read_chunks
from .names import find_names
from .words import index_terms

if TYPE_CHECKING:
    from .bm25 import Numbers, Scores
    from .exact_search import VectorMatrix
    from .sparse_matrix import SparseMatrix

DEFAULT_RESULTS = 10
CODE_SAMPLE_TEXTS, EMBED_BATCH_TEXTS = 500, 1_024
CODE_SIGNS = (
    lazy_pattern(r"\w[(\[]\S"),
    lazy_pattern(r"[-+*/|&=!<>:]=|\s=\s|->|=>|::|&&"),
    lazy_pattern(r"[:{};]\s*$", re.MULTILINE),
    lazy_pattern(r"\b(?:def|return|import|func|fn|class|const|let|var|void|elif|struct|async|None|null)\b"),
    lazy_pattern(r"\w_\w|\b[a-z]+[A-Z]\w|\w\.\w+\("),
)
MIN_CODE_SIGNS = 3  # kinds of signs in a text that is code (estimate)

Id = TypeVar("Id", bound=Hashable)


@dataclass(frozen=True, slots=True)
class TextIndex(Generic[Id]):
    """Searchable texts. Call it with a question to get the ids of the best."""

    ids: Sequence[Id]
    postings: Postings
    weights: FusionWeights
    parts: "Numbers | None" = None
    vectors: "VectorMatrix | SparseMatrix | None" = None
    embed: Embed | None = None

    def __call__(self, query: str, k: int = DEFAULT_RESULTS) -> list[Id]:
        """Return the ids of the ``k`` best texts, best first; fewer when fewer match. Ids are unique."""
        scores = self.scores(query)
        found = dict.fromkeys(self.ids[number] for number in best_positions(scores, k))
        if len(found) < min(k, len(self.ids)):
            found = dict.fromkeys(self.ids[number] for number in best_positions(scores, len(self.ids)))
        return list(found)[: max(k, 0)]

    def scores(self, query: str) -> "Scores":
        """Score each text against a question."""
        vector = self.embed([query])[0].tolist() if self.embed else None
        return self.score_with_vector(query, vector)

    def score_with_vector(self, query: str, vector: Sequence[float] | None = None) -> "Scores":
        """Score each text against a question whose vector is known."""
        near = self.vectors.scores(vector) if self.vectors and vector is not None else None
        found = add_scores(self.postings.scores(index_terms(query)), near, self.weights.vectors)
        found = with_neighbours(found, self.weights.neighbours, self.parts)
        if self.weights.names:
            found = found + self.weights.names * self.postings.shares(find_names(query)) * (found > 0)
        return found


@overload
def make_index(
    chunks: Mapping[Id, str],
    *,
    about: Sequence[str] = ...,
    parts: Sequence[Hashable] = ...,
    embedder: Embedder | str | NotGiven | None = ...,
    weights: FusionWeights | None = ...,
) -> "TextIndex[Id]": ...


@overload
def make_index(
    chunks: Sequence[str] | Iterator[str],
    *,
    about: Sequence[str] = ...,
    parts: Sequence[Hashable] = ...,
    embedder: Embedder | str | NotGiven | None = ...,
    weights: FusionWeights | None = ...,
) -> "TextIndex[int]": ...


@overload
def make_index(
    chunks: Iterable[tuple[Id, str] | TextWithId[Id]],
    *,
    about: Sequence[str] = ...,
    parts: Sequence[Hashable] = ...,
    embedder: Embedder | str | NotGiven | None = ...,
    weights: FusionWeights | None = ...,
) -> "TextIndex[Id]": ...


@overload
def make_index(
    chunks: Iterable[Mapping[str, Any]],
    *,
    about: Sequence[str] = ...,
    parts: Sequence[Hashable] = ...,
    embedder: Embedder | str | NotGiven | None = ...,
    weights: FusionWeights | None = ...,
) -> "TextIndex[Any]": ...


def make_index(
    chunks: Mapping[Any, str] | Iterable[Any],
    *,
    about: Sequence[str] = (),
    parts: Sequence[Hashable] = (),
    embedder: Embedder | str | NotGiven | None = NOT_GIVEN,
    weights: FusionWeights | None = None,
) -> "TextIndex[Any]":
    """Index texts in the order in which they were written; those before and after another are its context.

    Ids are positions, or come with the texts: the keys of a mapping, pairs of an id and a text, or objects or
    dictionaries that have both; their ``speaker``, ``date`` and ``session`` count if present. ``about`` gives the
    speaker and date of each text instead, ``parts`` its conversation. ``embedder`` is an embedder or the name of an
    installed one; the default is the lexical one, and None searches by words alone. Raise TypeError or ValueError for
    invalid input.
    """
    given = read_chunks(chunks)
    texts, indexed = [chunk.text for chunk in given], indexed_texts(given, about)
    chosen = resolve_embedder(embedder)
    code = is_code(texts)
    posted = build_postings([index_terms(text) for text in indexed], CODE_SHAPE if code else (K1, B))
    sessions = number_groups(check_length("parts", parts if len(parts) else [chunk.session for chunk in given], texts))
    index = TextIndex([chunk.id for chunk in given], posted, weights or default_weights(chosen, code=code), sessions)
    return with_vectors(index, indexed, chosen) if chosen and texts else index


def default_weights(embedder: Embedder | None, *, code: bool) -> FusionWeights:
    """Return the best measured weights: code stands alone, and speech is understood from its context."""
    lexical = embedder is not None and embedder.id.startswith("lexical")
    found = weights_for(LEXICAL_WEIGHT if lexical else MEANING_WEIGHT if embedder else 0.0)
    return replace(found, neighbours=(), names=0.0) if code else found


def is_code(texts: Sequence[str]) -> bool:
    """Return whether most of these texts are code, by the kinds of signs in them."""
    some = texts[:: max(1, len(texts) // CODE_SAMPLE_TEXTS)]
    return sum(sum(bool(sign.search(text)) for sign in CODE_SIGNS) >= MIN_CODE_SIGNS for text in some) > len(some) / 2


def with_vectors(index: TextIndex[Id], texts: Sequence[str], embedder: Embedder) -> TextIndex[Id]:
    """Return the same index, with a vector for each text."""
    embed = make_embed(embedder)
    return replace(index, vectors=embed_texts(embed, texts), embed=embed)


def embed_texts(embed: Embed, texts: Sequence[str]) -> "VectorMatrix | SparseMatrix":
    """Embed texts in batches; vectors that are mostly empty are stored sparsely."""
    from .exact_search import VectorMatrix, stack_matrices
    from .sparse_matrix import is_sparse, make_sparse

    groups = (texts[start : start + EMBED_BATCH_TEXTS] for start in range(0, len(texts), EMBED_BATCH_TEXTS))
    matrices = map(embed, groups)
    first = next(matrices)
    return (
        make_sparse(chain([first], matrices)) if is_sparse(first) else VectorMatrix(stack_matrices([first, *matrices]))
    )


def number_groups(parts: Sequence[Hashable]) -> "Numbers | None":
    """Return a number for each part, in place of its name."""
    import numpy

    if len(set(parts)) < 2:
        return None
    known: dict[Hashable, int] = {}
    return numpy.array([known.setdefault(part, len(known)) for part in parts], numpy.int64)
