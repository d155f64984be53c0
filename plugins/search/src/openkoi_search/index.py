"""Index any texts in memory: ``make_index(chunks)`` and then ``search(query, k)``.

For benchmarks, and for programs that have texts but no memory file.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from openkoi_hookspecs import Embedder, Query, SupportsDimensions
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .bm25 import K1, LONG_SHAPE, B
from .embedders import DEFAULT_EMBEDDER, NOT_GIVEN, Embed, NotGiven, embed_texts, make_embed, resolve_embedder
from .fusion import CODE_MEANING, LEXICAL_WEIGHT, MEANING_WEIGHT, STANDALONE, FusionWeights
from .hit_selection import FoundDocument
from .input_texts import Chunk, TextWithId, check_length, indexed_texts, read_chunks
from .lexical.hashing import sparse_vector
from .lexical.words import count_words
from .ranking import query_words, rank_documents
from .scopes import EVERYONE, TRANSCRIPT
from .segment import StoredDocument, open_segment
from .segment_documents import LexicalQuery, SegmentDocuments
from .segment_file import decode_segment
from .segment_index import SegmentIndex
from .segment_writer import IndexedDocument, make_content
from .words import boost_definitions, document_terms

if TYPE_CHECKING:
    from .exact_search import VectorMatrix
    from .text_vectors import TextVectors

DEFAULT_RESULTS = 10
CODE_SAMPLE_TEXTS = 500
PIECE_DIMENSIONS = 1_024  # of the vectors of words and their pieces beside those of another embedder
CODE_SIGNS = (
    lazy_pattern(r"\w[(\[]\S"),
    lazy_pattern(r"[-+*/|&=!<>:]=|\s=\s|->|=>|::|&&"),
    lazy_pattern(r"[:{};]\s*$", re.MULTILINE),
    lazy_pattern(r"\b(?:def|return|import|func|fn|class|const|let|var|void|elif|struct|async|None|null)\b"),
    lazy_pattern(r"\w_\w|\b[a-z]+[A-Z]\w|\w\.\w+\("),
)
MIN_CODE_SIGNS = 3  # texts with this many kinds of code-like signs count as code (estimate)

Id = TypeVar("Id", bound=Hashable)


@dataclass(frozen=True, slots=True)
class TextIndex(Generic[Id]):
    """Searchable texts. Call it with a question to get the ids of the best.

    ``vectors`` are those of an ``embedder``; of the lexical one the index itself has them.
    """

    ids: Sequence[Id]
    segments: SegmentIndex
    shape: tuple[float, float]
    weights: FusionWeights
    embedder: Embedder | None = None
    vectors: "VectorMatrix | None" = None

    def __call__(self, query: str, k: int = DEFAULT_RESULTS) -> list[Id]:
        """Return the ids of the ``k`` best texts, best first; fewer when fewer match. Ids are unique."""
        if k <= 0:
            return []
        found = self.rank(query, k)
        return found if len(found) >= min(k, len(self.ids)) else self.rank(query, len(self.ids))[:k]

    def rank(self, query: str, number: int) -> list[Id]:
        """Return the ids of the best of some texts, which may be fewer ids."""
        return list(dict.fromkeys(self.ids[one.doc] for one in self.find(query, number)[:number]))

    def scores(self, query: str) -> list[float]:
        """Score each text against a question, in the order of the texts; 0 if a text does not match."""
        found = {one.doc: one.score for one in self.find(query, len(self.ids))}
        return [found.get(number, 0.0) for number in range(len(self.ids))]

    @property
    def documents(self) -> SegmentDocuments:
        """The indexed texts, as documents to be ranked for a query."""
        return SegmentDocuments(self.segments, self.shape)

    def find(self, query: str, number: int) -> Sequence[FoundDocument]:
        """Return the documents that match a question, best first."""
        asked = Query(query, scope="all", limit=number)
        return rank_documents(self.documents, asked, query_words(asked), self.similarity(query), self.weights)

    def similarity(self, query: str) -> "LexicalQuery | TextVectors | None":
        """Return the similarity that is compared in addition to words."""
        if self.embedder is None or not self.weights.vectors:
            return None
        if self.vectors is None:
            return LexicalQuery(query, dimensions_of(self.embedder), self.weights.vectors)
        from .text_vectors import TextVectors

        pieces = LexicalQuery(query, PIECE_DIMENSIONS, self.weights.pieces) if self.weights.pieces else None
        vector = make_embed(self.embedder)([query])[0].tolist()
        return TextVectors(vector, self.vectors, self.weights.vectors, pieces)


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
    weights = weights or default_weights(chosen, code=code)
    sessions = check_length("parts", parts if len(parts) else [chunk.session for chunk in given], texts)
    lexical = dimensions_of(chosen) if chosen and is_lexical(chosen) else PIECE_DIMENSIONS if weights.pieces else 0
    documents = index_texts(indexed, sessions, lexical)
    return TextIndex(
        [chunk.id for chunk in given],
        documents,
        LONG_SHAPE if code else (K1, B),
        weights,
        chosen,
        embed_chunks(make_embed(chosen), given, about, code) if chosen and texts and not is_lexical(chosen) else None,
    )


def index_texts(texts: Sequence[str], parts: Sequence[Hashable], dimensions: int) -> SegmentIndex:
    """Return texts as a segment in memory."""
    return read_encoded(encode_texts(texts, parts, dimensions))


def read_encoded(data: bytes) -> SegmentIndex:
    """Return encoded texts as a segment in memory; raise CorruptFileError for other data."""
    return SegmentIndex([open_segment("", decode_segment(data))])


def encode_texts(texts: Sequence[str], parts: Sequence[Hashable], dimensions: int) -> bytes:
    """Return texts as a segment's content: each is a chunk of its part."""
    words = [Counter(document_terms(text)) for text in texts]
    vectors = [sparse_vector(count_words(boost_definitions(text)), dimensions) if dimensions else {} for text in texts]
    return encode_words(words, parts, vectors)


def encode_words(
    counted: Sequence[Counter[str]], parts: Sequence[Hashable], vectors: Sequence[Mapping[int, float]] = ()
) -> bytes:
    """Return texts as a segment's content, given their word counts and, if any, their vectors."""
    runs = {part: str(number) for number, part in enumerate(dict.fromkeys(parts))}
    documents = [
        index_words(number, words, runs[part], vectors[number] if vectors else {})
        for number, (words, part) in enumerate(zip(counted, parts, strict=True))
    ]
    return make_content(documents, (), {}).encode(born="")


def index_words(number: int, words: Counter[str], run: str, vector: Mapping[int, float]) -> IndexedDocument:
    """Return a text as a document to index; on ties, the lower number comes first."""
    stored = StoredDocument(number, f"{number:012}", TRANSCRIPT, False, EVERYONE, "", run, (), words.total(), "")
    return IndexedDocument(stored, words, vector)


def is_lexical(embedder: Embedder) -> bool:
    """Return whether an embedder compares words and their pieces, as the index itself does."""
    return embedder.id.startswith(DEFAULT_EMBEDDER)


def dimensions_of(embedder: Embedder) -> int:
    """Return the length of an embedder's vectors, if it is declared."""
    return embedder.dimensions if isinstance(embedder, SupportsDimensions) else 0


def default_weights(embedder: Embedder | None, *, code: bool) -> FusionWeights:
    """Return the best measured weights: code stands alone, and speech is understood from its context."""
    if code and embedder is not None and not is_lexical(embedder):
        return CODE_MEANING
    weight = 0.0 if embedder is None else LEXICAL_WEIGHT if is_lexical(embedder) else MEANING_WEIGHT
    return replace(STANDALONE if code else FusionWeights(), vectors=weight)


def is_code(texts: Sequence[str]) -> bool:
    """Return whether most of these texts are code, by the kinds of punctuation in them."""
    some = texts[:: max(1, len(texts) // CODE_SAMPLE_TEXTS)]
    return sum(sum(bool(sign.search(text)) for sign in CODE_SIGNS) >= MIN_CODE_SIGNS for text in some) > len(some) / 2


def embed_chunks(embed: Embed, given: Sequence[Chunk], about: Sequence[str], code: bool) -> "VectorMatrix":
    """Embed texts as they are indexed; for code, also the names that it defines."""
    from .text_vectors import defined_names, embed_code

    indexed = indexed_texts(given, about)
    if not code:
        return embed_texts(embed, indexed)
    names = [defined_names(chunk.text) for chunk in given]
    titles = indexed_texts([replace(chunk, text=name) for chunk, name in zip(given, names, strict=True)], about)
    return embed_code(embed, indexed, [title if name else "" for name, title in zip(names, titles, strict=True)])
