"""Measure how well skills fit a task, with the one search engine: by words, or by a chosen embedder as well.

A fit is a share of the best skill's score. Nothing fits unless the best has enough of the task's words, or its meaning.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from openkoi_base.skillfile.locations import FoundSkill, load_skill
from openkoi_base.skillfile.skill import Skill
from openkoi_hookspecs import Embedder, KoiError, Run
from openkoi_hookspecs.events import WarningIssued
from openkoi_hookspecs.lazy_dataclass import dataclass

from .library import SkillLibrary
from .ranking import purpose_text, weigh_parts

if TYPE_CHECKING:
    from openkoi_search.index import TextIndex

LEXICAL = "lexical"
CANDIDATES = 50  # skills that are scored
# BM25's k1 and b. Repeated words keep counting, because a skill's name and purpose are counted several times. Measured
# like the weights in ``ranking``: k1 from 4 to 8 does about as well.
SHAPE = (5.0, 0.6)
# How much meaning counts against words. Measured with MiniLM over 1,000 public skills and 30 tasks: the right skill is
# among the first three for 26 tasks at .3 and .4, for 24 at .5 and without meaning, and for 16 by meaning alone.
MEANING_WEIGHT = 0.35
# A skill fits a task if the words that they share, without the strongest, score this share of a word that only one
# skill has. If the task has the whole name of the skill, that counts as the second share; a part of it, as less.
# Measured over 1,000 public skills: 210 of 270 requests in the words of a user get a right skill, and 1 of 240
# unrelated tasks gets any; without the name, 205 and 2; with .36 instead of .4, 216 and 3.
MIN_BESIDE, WHOLE_NAME = 0.4, 0.35
# By meaning alone, a skill fits a task from this cosine on. Measured with MiniLM as above: 225 and 2. Margins over the
# next skills do not separate them.
MIN_COSINE = 0.35


@dataclass(frozen=True, slots=True)
class TaskFit:
    """How well the best texts fit a task, 0.0 to 1.0, best first; and whether the best really is about it."""

    shares: Mapping[str, float] = field(default_factory=dict)
    is_clear: bool = False


async def measure_fit(
    task: str, library: SkillLibrary, *, folder: Path, embedder: str, hidden: Collection[str], run: Run
) -> TaskFit:
    """Return how well skills fit a task, without those that are ``hidden`` from it.

    Their texts are read only if one has changed since they were indexed. If the embedder fails, warn and compare words.
    """
    index = await asyncio.to_thread(index_words, library, folder)
    entry = next((one for one in run.koi.plugins("embedders") if one.name == embedder != LEXICAL), None)
    if entry is not None:
        try:
            chosen = cast(Embedder, await entry.load())  # the kind says what it is
            meant = await asyncio.to_thread(add_meaning, index, list(library.skills.values()), chosen, folder)
            return rate_fit(task, meant, hidden)
        except Exception as error:  # an embedder is a plugin: on its errors words are compared
            await run.emit(
                WarningIssued(
                    f"Skills are chosen by shared words only, because the embedder {embedder} failed: {error}"
                )
            )
    return rate_fit(task, index, hidden)


def add_meaning(
    index: "TextIndex[str]", skills: Sequence[FoundSkill], embedder: Embedder, folder: Path
) -> "TextIndex[str]":
    """Return an index that also compares what skills are for by meaning; only new purposes are embedded."""
    from openkoi_search.saved_vectors import embed_saved

    vectors = embed_saved(embedder, [purpose_text(one.skill) for one in skills], folder / "skills")
    weights = replace(index.weights, vectors=MEANING_WEIGHT)
    return replace(index, weights=weights, embedder=embedder, vectors=vectors)


def index_words(library: SkillLibrary, folder: Path) -> "TextIndex[str]":
    """Return an index of the words of skills, kept in a folder for as long as their contents stay as they are."""
    from openkoi_search.saved_index import open_saved_index

    skills = library.skills.values()
    names = [one.skill.name for one in skills]
    return open_saved_index(
        names, library.digest, lambda: [weigh_parts(read_whole(one)) for one in skills], folder / "skills", SHAPE
    )


def read_whole(found: FoundSkill) -> Skill:
    """Return a skill with its text; without, if that cannot be read by now."""
    with suppress(KoiError, OSError):
        return load_skill(found.file, found.skill.kind)
    return found.skill


def rate_fit(task: str, index: "TextIndex[str]", hidden: Collection[str] = ()) -> TaskFit:
    """Return how well the best texts fit a task: their scores as shares of the best that is not ``hidden``."""
    found = [one for one in index.find(task, CANDIDATES) if index.ids[one.doc] not in hidden]
    if not found:
        return TaskFit()
    scores = [one.score for one in found]
    is_clear = is_about(task, found[0].doc, index) or found[0].near >= MIN_COSINE
    return TaskFit({index.ids[one.doc]: one.score / scores[0] for one in found}, is_clear)


def is_about(task: str, best: int, index: "TextIndex[str]") -> bool:
    """Return whether the best text has enough of the task beside the word that it shares most.

    The more of its name the task has, the less it takes. One shared word is never enough, however rare, and of common
    words it takes many.
    """
    from openkoi_hookspecs import Query
    from openkoi_search.ranking import query_words
    from openkoi_search.words import index_terms

    query = Query(task, scope="all")
    documents = index.documents
    scopes = documents.visible_scopes(query)
    size, _ = documents.measure(scopes)
    words = query_words(query)
    alone = documents.score_document(best, scopes, words)
    name = set(index_terms(index.ids[best].replace("-", " ")))
    named = len(name.intersection(words)) / max(len(name), 1)
    beside = (sum(alone) - max(alone, default=0.0)) / documents.weigh(1, size)
    return beside + WHOLE_NAME * named > MIN_BESIDE
