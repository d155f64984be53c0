"""Texts to vectors where nobody can wait, and the embedder that is used when none is named. Knows no index."""

import asyncio
from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, TypeAlias, cast

from openkoi_hookspecs import Embedder

if TYPE_CHECKING:
    from .scanning import Matrix

    Embed: TypeAlias = Callable[[Sequence[str]], Matrix]
else:
    Embed = Callable

GROUP, USUAL = "openkoi.embedders", "lexical"


def usual_embedder() -> Embedder | None:
    """The embedder of words and their pieces, where it is installed."""
    found = entry_points(group=GROUP, name=USUAL)
    return cast(Embedder, next(iter(found)).load()()) if found else None  # an entry point says nothing of types


def embedded(embedder: Embedder) -> Embed:
    """A function that embeds, also where an event loop is under way in this thread."""
    from .scanning import matrix_of

    async def vectors(texts: Sequence[str]) -> "Matrix":
        return matrix_of((await embedder.embed(texts)).vectors)

    def embed(texts: Sequence[str]) -> "Matrix":
        if not under_way():
            return asyncio.run(vectors(texts))
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(1) as apart:
            return apart.submit(lambda: asyncio.run(vectors(texts))).result()

    return embed


def under_way() -> bool:
    """Whether an event loop is under way in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
