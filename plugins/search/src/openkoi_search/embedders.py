"""Load installed embedders, and compute embeddings with them synchronously."""

import asyncio
from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, TypeAlias, cast

from openkoi_hookspecs import Embedder

if TYPE_CHECKING:
    from .bm25 import Matrix
    from .exact_search import VectorMatrix

    Embed: TypeAlias = Callable[[Sequence[str]], Matrix]
else:
    Embed = Callable

ENTRY_POINT_GROUP, DEFAULT_EMBEDDER = "openkoi.embedders", "lexical"
EMBED_BATCH_TEXTS = 1_024


class NotGiven:
    """The type of ``NOT_GIVEN``: use the default."""


NOT_GIVEN = NotGiven()


def resolve_embedder(embedder: Embedder | str | NotGiven | None) -> Embedder | None:
    """Return the embedder given or named; raise ValueError if it is not installed, TypeError for anything else."""
    if isinstance(embedder, NotGiven):
        return load_default_embedder()
    if isinstance(embedder, str):
        return load_embedder(embedder)
    if embedder is not None and not (hasattr(embedder, "id") and hasattr(embedder, "embed")):
        raise TypeError(
            "embedder must be the name of an installed embedder, an object with an "
            f"'id' and 'async def embed(texts) -> Embedding', or None, not {type(embedder).__name__!r}."
        )
    return embedder


def load_default_embedder() -> Embedder | None:
    """Return the lexical embedder if it is installed."""
    return load_embedder(DEFAULT_EMBEDDER) if entry_points(group=ENTRY_POINT_GROUP, name=DEFAULT_EMBEDDER) else None


def load_embedder(name: str) -> Embedder:
    """Return the embedder of a name; raise ValueError when it is not installed."""
    found = entry_points(group=ENTRY_POINT_GROUP, name=name)
    if not found:
        known = ", ".join(sorted({point.name for point in entry_points(group=ENTRY_POINT_GROUP)})) or "none"
        raise ValueError(f"Unknown embedder {name!r}. Installed: {known}.")
    return cast(Embedder, next(iter(found)).load()())  # entry points are untyped


def make_embed(embedder: Embedder) -> Embed:
    """Return a function that embeds, even while an event loop runs in this thread."""
    from .exact_search import matrix_of

    async def vectors(texts: Sequence[str]) -> "Matrix":
        return matrix_of((await embedder.embed(texts)).vectors)

    def embed(texts: Sequence[str]) -> "Matrix":
        if not is_loop_running():
            return asyncio.run(vectors(texts))
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(1) as executor:
            return executor.submit(lambda: asyncio.run(vectors(texts))).result()

    return embed


def embed_texts(embed: Embed, texts: Sequence[str]) -> "VectorMatrix":
    """Embed texts in batches."""
    from .exact_search import VectorMatrix, stack_matrices

    groups = (texts[start : start + EMBED_BATCH_TEXTS] for start in range(0, len(texts), EMBED_BATCH_TEXTS))
    return VectorMatrix(stack_matrices([embed(group) for group in groups]))


def is_loop_running() -> bool:
    """Return whether an event loop runs in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
