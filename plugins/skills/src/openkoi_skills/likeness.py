"""How much each skill is about a task, as an embedder sees it; without one, by the words they share."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Protocol, runtime_checkable

from openkoi_hookspecs import Embedding, PluginEntry, Run
from openkoi_hookspecs.events import WarningIssued

from .signals import cosine, in_common


@runtime_checkable
class Embeds(Protocol):
    """What is needed of an embedder."""

    async def embed(self, texts: Sequence[str]) -> Embedding:
        """Embed each text, in order."""


async def likeness(task: str, texts: Sequence[str], embedder: str, run: Run) -> list[float]:
    """One value for each text. An embedder that fails is named, and words decide."""
    entry = next((one for one in run.koi.plugins("embedders") if one.name == embedder), None)
    if entry and texts:
        try:
            return await asyncio.to_thread(embedded_elsewhere, entry, task, texts)
        except Exception as error:  # an embedder is a plugin: without it the words decide
            await run.emit(
                WarningIssued(f"Skills are chosen by their words alone: {embedder} did not embed them: {error}")
            )
    return [in_common(task, text) for text in texts]


def embedded_elsewhere(entry: PluginEntry, task: str, texts: Sequence[str]) -> list[float]:
    """The same, in a thread and a loop of its own: what an embedder imports and computes holds nobody up."""
    return asyncio.run(embedded(entry.load(), task, texts))


async def embedded(embedder: object, task: str, texts: Sequence[str]) -> list[float]:
    """How near each text is to the task. Raises ValueError for what is no embedder."""
    async with AsyncExitStack() as stack:
        if hasattr(embedder, "__aenter__") and hasattr(embedder, "__aexit__"):
            await stack.enter_async_context(embedder)
        if not isinstance(embedder, Embeds):
            raise ValueError(f"{type(embedder).__name__} has no embed()")
        first, *rest = (await embedder.embed([task, *texts])).vectors
        return [cosine(first, vector) for vector in rest]
