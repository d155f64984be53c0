"""Compute and store embeddings of the texts in memory, and of queries, with the model of `models.embedder`."""

import asyncio
import logging
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING

from openkoi_base.counts import format_count
from openkoi_hookspecs import Embedder, SupportsDimensions
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_search.fusion import LEXICAL_WEIGHT, MEANING_WEIGHT

from .file import MemoryFile

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from openkoi_search.vector_store import VectorQuery, VectorStore

BATCH_SIZE = 256
MAX_SECONDS = 5.0
MISSING_VECTORS = "Memory has no vectors from %s for %s yet. To create them, run `openkoi memory rebuild`."


@dataclass(slots=True)
class Embeddings:
    """An embedder, and its vectors for the texts in the file."""

    file: MemoryFile
    embedder: Embedder
    weight: float
    vectors: "VectorStore | None" = None
    has_warned: bool = False
    has_counted: bool = False
    stored_length: int | None = None

    async def catch_up(self) -> None:
        """Embed texts that have no vector of this embedder yet, for a few seconds; the rest follow next time."""
        until = monotonic() + MAX_SECONDS
        while await self.embed_some() == BATCH_SIZE and monotonic() < until:
            pass

    async def complete(self) -> None:
        """Embed all texts that have no vector of this embedder, however long that takes."""
        while await self.embed_some():
            pass

    async def embed_some(self) -> int:
        """Embed a number of texts; return how many."""
        from .vectors import list_unembedded, store_vectors

        model, length = self.embedder.id, await self.vector_length()
        bare = await asyncio.to_thread(self.file.read, lambda found: list_unembedded(found, model, length, BATCH_SIZE))
        vectors = await self.embed_or_none([one.text for one in bare or []])
        if bare is None or vectors is None:
            return 0
        return await asyncio.to_thread(self.file.write, lambda found: store_vectors(found, model, bare, vectors))

    async def embed_query(self, text: str) -> "VectorQuery | None":
        """Return the vector of a query."""
        from openkoi_search.vector_store import VectorQuery, VectorStore

        if self.vectors is None:
            self.vectors = VectorStore(self.file.beside("vectors"), self.embedder.id, self.weight)
        vectors = await self.embed_or_none([text])
        return VectorQuery(vectors[0], self.vectors) if vectors else None

    async def vector_length(self) -> int:
        """Return the length of vectors: as declared, else as stored, else 0."""
        from .vectors import read_length

        if declared := self.embedder.dimensions if isinstance(self.embedder, SupportsDimensions) else 0:
            return declared
        model = self.embedder.id
        self.stored_length = self.stored_length or await asyncio.to_thread(
            self.file.read, lambda found: read_length(found, model)
        )
        return self.stored_length or 0

    async def embed_or_none(self, texts: Sequence[str]) -> Sequence[Sequence[float]] | None:
        """Return a vector for each text, or None when that is impossible."""
        from openkoi_search.exact_search import matrix_of

        if not texts:
            return []
        try:
            length, vectors = await self.vector_length(), (await self.embedder.embed(texts)).vectors
            check_length(self.embedder.id, matrix_of(vectors).shape[1], length)
            if len(vectors) != len(texts):
                raise ValueError(f"got {len(vectors)} vectors for {len(texts)} texts")
        except Exception as error:  # an embedder is a plugin: memory continues without it
            self.warn_failure(error)
            return None
        return vectors

    def warn_missing(self, connection: "DuckDBPyConnection") -> None:
        """Warn once about texts without vectors, unless a failed embedder was reported already."""
        if self.has_warned or self.has_counted:
            return
        self.has_counted = True
        if number := self.count_missing(connection):
            logging.getLogger("openkoi").warning(MISSING_VECTORS, self.embedder.id, format_count(number, "text"))

    def count_missing(self, connection: "DuckDBPyConnection") -> int:
        """How many texts have no vector of this embedder."""
        from .vectors import count_unembedded

        return count_unembedded(connection, self.embedder.id)

    def warn_failure(self, error: Exception) -> None:
        """Warn once about an embedder that does not work."""
        if not self.has_warned:
            self.has_warned = True
            logging.getLogger("openkoi").warning(
                "Memory is searched by words only, because the embedder %s failed (%s). "
                "Missing vectors will be created when it works again.",
                self.embedder.id,
                error,
            )


def check_length(model_id: str, length: int, expected: int) -> None:
    """Raise ValueError for vectors of the wrong length; with 0, any length is accepted."""
    if expected and length != expected:
        model = model_id.removesuffix(f"/{expected}").removesuffix(f":{expected}")
        raise ValueError(f"{model} returned vectors of {length} numbers instead of {expected}")


def default_weight(embedder: Embedder) -> float:
    """Return the measured weight of vectors: lower if they only find what words find as well."""
    return LEXICAL_WEIGHT if embedder.id.startswith("lexical") else MEANING_WEIGHT
