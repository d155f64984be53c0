"""Measure how similar skills are to a task, by an embedder or by shared words."""

from collections.abc import Sequence
from typing import cast

from openkoi_hookspecs import Embedder, PluginEntry, Run
from openkoi_hookspecs.events import WarningIssued

from .ranking import cosine_similarity, measure_overlap


async def measure_similarity(task: str, texts: Sequence[str], embedder: str, run: Run) -> list[float]:
    """Return a value for each text; if the embedder fails, warn and compare words."""
    entry = next((one for one in run.koi.plugins("embedders") if one.name == embedder), None)
    if entry and texts:
        try:
            return await embed_similarities(entry, task, texts)
        except Exception as error:  # an embedder is a plugin: on its errors words are compared
            await run.emit(
                WarningIssued(f"Skills are chosen by shared words only: the embedder {embedder} failed: {error}")
            )
    return [measure_overlap(task, text) for text in texts]


async def embed_similarities(entry: PluginEntry, task: str, texts: Sequence[str]) -> list[float]:
    """Return the similarity of each text to the task."""
    embedder = cast(Embedder, await entry.load())  # the kind says what it is
    first, *rest = (await embedder.embed([task, *texts])).vectors
    return [cosine_similarity(first, vector) for vector in rest]
