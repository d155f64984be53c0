"""Measure how well skills fit a task, with the one search engine: words, pieces of words, or a chosen embedder.

A fit is a share of the best skill's score. Nothing fits unless the best has enough of the task's words, or stands out.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import field
from math import log
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
MANY_WORDS, FEW_WORDS = 3, 2  # of the task, in the best skill; if only a few, they must be rare
# Over 1,000 public skills and 60 tasks, 45 right ones are among the first three (52 if nothing must fit); for 1 of 40
# unrelated tasks a skill is shown.
MIN_RARITY, MIN_RARITY_NAMED = 1.7, 1.2  # of the few words together; lower if one is in the skill's name
MIN_MARGIN = 1.5  # by meaning alone: how much better the best must be than the first one that is not shown


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
    best, scores = index.ids[found[0].doc], [one.score for one in found]
    is_clear = is_about(task, best, texts[best], index) or (found[0].near and stands_out(scores))
    return TaskFit({index.ids[one.doc]: one.score / scores[0] for one in found}, bool(is_clear))


def is_about(task: str, name: str, text: str, index: "TextIndex[str]") -> bool:
    """Return whether the best skill fits: it shares many words with the task, or a few that few skills have."""
    from openkoi_search.words import index_terms

    shared = set(index_terms(task)) & set(index_terms(text))
    named = shared & set(index_terms(name.replace("-", " ")))
    if len(shared) >= MANY_WORDS or len(named) >= FEW_WORDS:
        return True
    rarity = sum(measure_rarity(word, index) for word in shared)
    return len(shared) >= FEW_WORDS and rarity >= (MIN_RARITY_NAMED if named else MIN_RARITY)


def measure_rarity(word: str, index: "TextIndex[str]") -> float:
    """Return 1.0 for a word that one skill has, 0.0 for one that all have."""
    having = sum(
        len(postings.rows) for _, postings in index.documents.postings(word, list(index.documents.index.shelves))
    )
    number = len(index.ids)
    return log((number + 1) / max(having, 1)) / log(number + 1)


def stands_out(scores: Sequence[float]) -> bool:
    """Return whether the best of the scores is better by a margin than the first that is not shown."""
    return len(scores) <= SHOWN or scores[0] >= MIN_MARGIN * scores[SHOWN]
