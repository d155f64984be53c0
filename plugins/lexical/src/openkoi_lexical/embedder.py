"""The embedder: texts in, vectors out. Knows how many dimensions there are; what counts is its neighbours' matter."""

import asyncio
from collections.abc import Sequence

from openkoi_hookspecs import ConfigError, Embedding

from .hashing import vector
from .words import counted

SMALLEST, LARGEST = 64, 65_536


class Lexical:
    """Finds words and their pieces, not meaning: inflected, compounded and misspelt words, parts of identifiers.

    Two texts that say the same in other words are strangers to it. It needs no model, no download and no network, and
    is meant as the companion of a search by words. The same text gets the same vector on every machine.
    """

    def __init__(self, *, dimensions: int = 1024) -> None:
        if not SMALLEST <= dimensions <= LARGEST:
            raise ConfigError(f"dimensions is {dimensions}. Set it between {SMALLEST} and {LARGEST}.")
        self._dimensions = dimensions

    @property
    def dimensions(self) -> int:
        """The length of the vectors."""
        return self._dimensions

    @property
    def id(self) -> str:
        """The way of hashing and the dimensions."""
        return f"lexical-1-{self._dimensions}"

    async def embed(self, texts: Sequence[str]) -> Embedding:
        """Embed each text; others have their turn in between."""
        vectors = []
        for text in texts:
            vectors.append(vector(counted(text), self._dimensions))
            await asyncio.sleep(0)
        return Embedding(vectors)
