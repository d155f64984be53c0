"""Embed texts without a model: convert their words and pieces to vectors by feature hashing."""

import asyncio
from collections.abc import Sequence

from openkoi_hookspecs import ConfigError, Embedding

from .hashing import vector
from .words import count_words

MIN_DIMENSIONS, MAX_DIMENSIONS = 64, 65_536  # fewer dimensions cannot distinguish words (estimate)


class Lexical:
    """An embedder of words and their pieces, without meaning: inflected, compounded and misspelled words, parts of
    identifiers.

    Paraphrases in other words are not similar to it. It needs no model and no network, and complements a word search.
    Equal texts get equal vectors on every machine.
    """

    def __init__(self, *, dimensions: int = 1024) -> None:
        if not MIN_DIMENSIONS <= dimensions <= MAX_DIMENSIONS:
            raise ConfigError(
                f"[embedders.lexical] dimensions is {dimensions}. "
                f"Set it to a value from {MIN_DIMENSIONS} to {MAX_DIMENSIONS}."
            )
        self._dimensions = dimensions

    @property
    def dimensions(self) -> int:
        """The length of the vectors."""
        return self._dimensions

    @property
    def id(self) -> str:
        """The version of the hashing, and the dimensions."""
        return f"lexical-1-{self._dimensions}"

    async def embed(self, texts: Sequence[str]) -> Embedding:
        """Embed each text; other tasks run in between."""
        vectors = []
        for text in texts:
            vectors.append(vector(count_words(text), self._dimensions))
            await asyncio.sleep(0)
        return Embedding(vectors)
