"""Embed texts synchronously, and load installed embedders."""

import asyncio
from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, TypeAlias, cast

from openkoi_hookspecs import Embedder

if TYPE_CHECKING:
    from .bm25 import Matrix

    Embed: TypeAlias = Callable[[Sequence[str]], Matrix]
else:
    Embed = Callable

GROUP, USUAL = "openkoi.embedders", "lexical"


class Unsaid:
    """Stands for what is used when nothing is said."""


UNSAID = Unsaid()


def chosen_embedder(embedder: Embedder | str | Unsaid | None) -> Embedder | None:
    """The embedder that is meant; raises TypeError when it is something else, ValueError when it is not installed."""
    if isinstance(embedder, Unsaid):
        return usual_embedder()
    if isinstance(embedder, str):
        return load_embedder(embedder)
    if embedder is not None and not (hasattr(embedder, "id") and hasattr(embedder, "embed")):
        raise TypeError(
            f"embedder is {type(embedder).__name__!r}. Give the name of one that is installed, or an object with an "
            "id and 'async def embed(texts)' that answers an Embedding; None for words alone."
        )
    return embedder


def usual_embedder() -> Embedder | None:
    """The embedder of words and their pieces, where it is installed."""
    return load_embedder(USUAL) if entry_points(group=GROUP, name=USUAL) else None


def load_embedder(name: str) -> Embedder:
    """Return the embedder of a name; raise ValueError when it is not installed."""
    found = entry_points(group=GROUP, name=name)
    if not found:
        known = ", ".join(sorted({one.name for one in entry_points(group=GROUP)})) or "none"
        raise ValueError(f"Unknown embedder {name!r} installed. There are: {known}.")
    return cast(Embedder, next(iter(found)).load()())  # an entry point says nothing of types


def make_embed(embedder: Embedder) -> Embed:
    """Return a function that embeds, even while an event loop runs in this thread."""
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
