"""Measure how well skills fit a task, with the one search engine: words, pieces of words, or a chosen embedder.

A fit is a share of the best skill's score. Nothing fits unless the best has enough of the task's words, or stands out.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, cast

from openkoi_hookspecs import Embedder, Run
from openkoi_hookspecs.events import WarningIssued
from openkoi_hookspecs.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from openkoi_search.index import TextIndex

LEXICAL = "lexical"
CANDIDATES = 50  # skills that are scored
SHOWN = 3  # skills that a task is shown unasked: the best ones
# Over 581 public skills, 30 tasks and 20 unrelated ones: 28 right ones among the first three, 1 false one.
MANY_WORDS, FEW_WORDS = 3, 2  # of the task, in the best skill; with fewer it must stand out
MIN_MARGIN = 1.5  # how much better it must be then than the first one that is not shown


@dataclass(frozen=True, slots=True)
class TaskFit:
    """How well the best texts fit a task, 0.0 to 1.0, best first; and whether the best really is about it."""

    shares: Mapping[str, float] = field(default_factory=dict)
    is_clear: bool = False


async def measure_fit(task: str, texts: Mapping[str, str], folder: Path, embedder: str, run: Run) -> TaskFit:
    """Return how well the texts fit a task; if the embedder fails, warn and compare words."""
    from openkoi_search.index import make_index
    from openkoi_search.saved_index import open_saved_index

    entry = next((one for one in run.koi.plugins("embedders") if one.name == embedder != LEXICAL), None)
    if entry is not None:
        try:
            chosen = cast(Embedder, await entry.load())  # the kind says what it is
            return rate_fit(task, texts, await asyncio.to_thread(make_index, texts, embedder=chosen))
        except Exception as error:  # an embedder is a plugin: on its errors words are compared
            await run.emit(
                WarningIssued(f"Skills are chosen by shared words only: the embedder {embedder} failed: {error}")
            )
    return rate_fit(task, texts, await asyncio.to_thread(open_saved_index, texts, folder, "skills"))


def rate_fit(task: str, texts: Mapping[str, str], index: "TextIndex[str]") -> TaskFit:
    """Return how well the best texts fit a task: their scores as shares of the best."""
    found = index.find(task, CANDIDATES)
    if not found:
        return TaskFit()
    best, ordered = index.ids[found[0].doc], [one.score for one in found]
    is_clear = is_match(task, best, texts[best], ordered) or (found[0].near and stands_out(ordered))
    return TaskFit({index.ids[one.doc]: one.score / ordered[0] for one in found}, bool(is_clear))


def is_match(task: str, name: str, text: str, scores: Sequence[float]) -> bool:
    """Return whether the best skill fits: by many words, by two words or one of its name if it stands out."""
    from openkoi_search.words import index_terms

    words = set(index_terms(task))
    shared = words & set(index_terms(text))
    if len(shared) >= MANY_WORDS:
        return True
    few = len(shared) >= FEW_WORDS or bool(shared & set(index_terms(name.replace("-", " "))))
    return few and stands_out(scores)


def stands_out(scores: Sequence[float]) -> bool:
    """Return whether the best of the scores is better by a margin than the first that is not shown."""
    return len(scores) <= SHOWN or scores[0] >= MIN_MARGIN * scores[SHOWN]
