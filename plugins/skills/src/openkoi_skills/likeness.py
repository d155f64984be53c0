"""How much each skill is about a task, as an embedder sees it; without one, by the words they share."""

from collections.abc import Sequence
from typing import cast

from openkoi_hookspecs import Embedder, PluginEntry, Run
from openkoi_hookspecs.events import WarningIssued

from .signals import cosine, in_common


async def likeness(task: str, texts: Sequence[str], embedder: str, run: Run) -> list[float]:
    """One value for each text. An embedder that fails is named, and words decide."""
    entry = next((one for one in run.koi.plugins("embedders") if one.name == embedder), None)
    if entry and texts:
        try:
            return await embed_similarities(entry, task, texts)
        except Exception as error:  # an embedder is a plugin: without it the words decide
            await run.emit(
                WarningIssued(f"Skills are chosen by their words alone: {embedder} did not embed them: {error}")
            )
    return [in_common(task, text) for text in texts]


async def embed_similarities(entry: PluginEntry, task: str, texts: Sequence[str]) -> list[float]:
    """Return the similarity of each text to the task."""
    embedder = cast(Embedder, await entry.load())  # the kind says what it is
    first, *rest = (await embedder.embed([task, *texts])).vectors
    return [cosine(first, vector) for vector in rest]
