"""Measure how well skills fit a task, with the one search engine: by words, or by a chosen embedder as well.

A fit is a share of the best skill's score. Nothing fits unless the best has enough of the task's words, or stands out.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, cast

from openkoi_base.skillfile import Skill
from openkoi_hookspecs import Embedder, Run
from openkoi_hookspecs.events import WarningIssued
from openkoi_hookspecs.lazy_dataclass import dataclass

from .ranking import index_text, purpose_text

if TYPE_CHECKING:
    from openkoi_search.index import TextIndex

LEXICAL = "lexical"
CANDIDATES = 50  # skills that are scored
SHOWN = 3  # skills that a task is shown unasked: the best ones
# How much rarer a word that no skill has may be than one that one has; matters below 250 skills (estimate).
MAX_UNKNOWN = 1.2
MIN_MARGIN = 1.5  # by meaning alone: how much better the best must be than the first one that is not shown


@dataclass(frozen=True, slots=True)
class TaskFit:
    """How well the best texts fit a task, 0.0 to 1.0, best first; and whether the best really is about it."""

    shares: Mapping[str, float] = field(default_factory=dict)
    is_clear: bool = False


async def measure_fit(task: str, skills: Sequence[tuple[Skill, str]], folder: Path, embedder: str, run: Run) -> TaskFit:
    """Return how well skills, each with the words that its text repeats, fit a task.

    If the embedder fails, warn and compare words.
    """
    from openkoi_search.index import make_index
    from openkoi_search.saved_index import open_saved_index

    entry = next((one for one in run.koi.plugins("embedders") if one.name == embedder != LEXICAL), None)
    if entry is not None:
        purposes = {skill.name: purpose_text(skill) for skill, _ in skills}
        try:
            chosen = cast(Embedder, await entry.load())  # the kind says what it is
            return rate_fit(task, await asyncio.to_thread(make_index, purposes, embedder=chosen))
        except Exception as error:  # an embedder is a plugin: on its errors words are compared
            await run.emit(
                WarningIssued(f"Skills are chosen by shared words only: the embedder {embedder} failed: {error}")
            )
    texts = {skill.name: index_text(skill, topics) for skill, topics in skills}
    return rate_fit(task, await asyncio.to_thread(open_saved_index, texts, folder, "skills"))


def rate_fit(task: str, index: "TextIndex[str]") -> TaskFit:
    """Return how well the best texts fit a task: their scores as shares of the best."""
    found = index.find(task, CANDIDATES)
    if not found:
        return TaskFit()
    scores = [one.score for one in found]
    is_clear = is_about(task, found[0].doc, index) or (found[0].near and stands_out(scores))
    return TaskFit({index.ids[one.doc]: one.score / scores[0] for one in found}, bool(is_clear))


def is_about(task: str, best: int, index: "TextIndex[str]") -> bool:
    """Return whether the best text has more of the task than any one word of it, however rare, can account for.

    So one shared word is never enough, and two are only if the task has no word that is much rarer than both. Over
    1,000 public skills and 90 tasks, 58 right ones are among the first three shown (67 if nothing must fit); for 3 of
    60 unrelated tasks a skill is shown.
    """
    from openkoi_hookspecs import Query
    from openkoi_search.ranking import query_words

    query = Query(task, scope="all")
    documents, words = index.documents, query_words(query)
    shelves = documents.visible_scopes(query)
    size, _ = documents.measure(shelves)
    most = documents.weigh(1, size) * MAX_UNKNOWN
    needed = max((documents.weigh(documents.count_documents(word, shelves), size) for word in words), default=most)
    return documents.rank_by_words(query, shelves, words, CANDIDATES).get(best, 0.0) > min(needed, most)


def stands_out(scores: Sequence[float]) -> bool:
    """Return whether the best of the scores is better by a margin than the first that is not shown."""
    return len(scores) <= SHOWN or scores[0] >= MIN_MARGIN * scores[SHOWN]
