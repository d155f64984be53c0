"""Measure how well skills fit a task, with the one search engine: by words, or by a chosen embedder as well.

A fit is a share of the best skill's score. Nothing fits unless the best three have enough of the task, and with an
embedder also more than everyday subjects have.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, cast

from openkoi_base.skillfile.locations import FoundSkill, load_skill
from openkoi_base.skillfile.skill import Skill
from openkoi_hookspecs import Embedder, KoiError, Query, Run
from openkoi_hookspecs.events import WarningIssued
from openkoi_hookspecs.lazy_dataclass import dataclass

from .library import SkillLibrary
from .skill_ranking import purpose_text, weigh_parts

if TYPE_CHECKING:
    from openkoi_search.exact_search import VectorMatrix
    from openkoi_search.index import TextIndex
    from openkoi_search.segment_documents import SegmentDocuments
    from openkoi_search.text_vectors import TextVectors

LEXICAL = "lexical"
CANDIDATES = 50  # skills that are scored
# BM25's k1 and b. Repeated words keep counting, because a skill's name and purpose are counted several times. Measured
# like the weights in ``ranking``: k1 from 4 to 8 does about as well.
SHAPE = (5.0, 0.6)
# How much meaning counts against words. Measured with MiniLM over 1,000 public skills and 264 requests in the words of
# a user: a right skill is among the first three for 27.3 of 30 at .55, for 26.9 at .45 and .6, for 26.5 at .35, for
# 25.1 at .8 and for 25.3 without meaning.
MEANING_WEIGHT = 0.55
# The best three skills decide together whether any is shown, each with its share. Measured like the limits below:
# shares of one third do about as well over 1,000 skills, but worse over 20.
BEST_SHARES = (0.5, 0.25, 0.25)
# How much it counts that the best skill lacks some words of a task. Measured like the limits below: from .25 to .5 do
# about as well, and 0 worse.
COVERED_EXPONENT = 1 / 3
# How often cosines count against words. Measured like the limits below: from 1.5 to 3 do about as well.
MEANING_RATIO = 2.0
# What tasks are about that no skill is for. A task counts as far as it is nearer to the best skills than to the nearest
# of these. Measured like the limits below: without them, 23.8 requests instead of 25.6 are shown a right skill at the
# limit that shows any for 4 of 259 unrelated tasks; four other lists, of 8 to 25 subjects or sentences, did about as
# well.
EVERYDAY = (
    "General knowledge and trivia",
    "Small talk",
    "Home, family, health and hobbies",
    "Poems, stories and private letters",
    "Simple work on files and lines of text",
    "Arithmetic, units, dates and translations",
)
# What the best skills have to reach, by words alone and with meaning: a first number, plus a second one times the
# natural logarithm of the number of skills, because among more skills some have more of any task by chance. Measured
# over 1,000 public skills. Words: chosen with 204 requests in the words of a user and 199 unrelated tasks, then run
# once with 60 and 60 others: they show the right skill for 18.5 of 30 requests, and any for 1 of the 60 unrelated
# tasks; a higher limit showed 16.5 and 0. Meaning: chosen with all of these requests, for which several skills may be
# right, and over libraries of 5 to 1,000 of the skills: MiniLM shows a right skill for 25.8 of 30 requests, and any for
# 5 of 259 unrelated tasks. Over 20 skills it is 28.2 of 30, and 1 of 200; of the requests whose skill is absent, 38 %
# are shown another one.
WORDS_LIMIT, MEANING_LIMIT = (0.38, 0.03), (0.4, 0.075)


@dataclass(frozen=True, slots=True)
class TaskFit:
    """How well the best texts fit a task, 0.0 to 1.0, best first; and whether the best one really matches it."""

    shares: Mapping[str, float] = field(default_factory=dict)
    is_clear: bool = False


@dataclass(frozen=True, slots=True)
class Meaning:
    """The vectors of a task, of what each skill is for, and of everyday subjects."""

    task: Sequence[float]
    purposes: "VectorMatrix"
    everyday: "VectorMatrix"

    def compare(self) -> "TextVectors":
        """Return the similarity of the task and each skill."""
        from openkoi_search.text_vectors import TextVectors

        return TextVectors(self.task, self.purposes, MEANING_WEIGHT)


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
            purposes, everyday = await asyncio.to_thread(embed_purposes, library, chosen, folder)
            [vector] = (await chosen.embed([task])).vectors
            return rate_fit(task, index, hidden, Meaning(vector, purposes, everyday))
        except Exception as error:  # an embedder is a plugin: on its errors words are compared
            await run.emit(
                WarningIssued(
                    f"Skills are chosen by shared words only, because the embedder {embedder} failed: {error}"
                )
            )
    return rate_fit(task, index, hidden)


def embed_purposes(library: SkillLibrary, embedder: Embedder, folder: Path) -> "tuple[VectorMatrix, VectorMatrix]":
    """Return the vectors of what skills are for, and of everyday subjects; only new ones are embedded."""
    from openkoi_search.exact_search import VectorMatrix
    from openkoi_search.saved_index import hash_state
    from openkoi_search.saved_vectors import embed_saved

    skills = [one.skill for one in library.skills.values()]
    state = hash_state([one.name for one in skills], [library.digest, EVERYDAY])
    rows = embed_saved(embedder, state, lambda: [*map(purpose_text, skills), *EVERYDAY], folder / "skills").matrix
    return VectorMatrix(rows[: len(skills)]), VectorMatrix(rows[len(skills) :])


def index_words(library: SkillLibrary, folder: Path) -> "TextIndex[str]":
    """Return an index of the words of skills, kept in a folder until their contents change."""
    from openkoi_search.saved_index import open_saved_index

    skills = library.skills.values()
    names = [one.skill.name for one in skills]
    return open_saved_index(
        names, library.digest, lambda: [weigh_parts(read_whole(one)) for one in skills], folder / "skills", SHAPE
    )


def read_whole(found: FoundSkill) -> Skill:
    """Return a skill with its text; without text if that can no longer be read."""
    with suppress(KoiError, OSError):
        return load_skill(found.file, found.skill.kind)
    return found.skill


def rate_fit(
    task: str, index: "TextIndex[str]", hidden: Collection[str] = (), meaning: Meaning | None = None
) -> TaskFit:
    """Return how well the best texts fit a task: their scores as shares of the best that is not ``hidden``."""
    from openkoi_search.ranking import query_words, rank_documents

    query, documents = Query(task, scope="all", limit=CANDIDATES), index.documents
    words, unwanted = query_words(query), {doc for doc, name in enumerate(index.ids) if name in hidden}
    near = meaning.compare() if meaning else index.similarity(task)
    weights = replace(index.weights, vectors=MEANING_WEIGHT) if meaning else index.weights
    found = [one for one in rank_documents(documents, query, words, near, weights) if one.doc not in unwanted]
    if not found:
        return TaskFit()
    fit = rate_words(query, words, documents, unwanted) + MEANING_RATIO * weigh_best([one.near for one in found])
    fit -= float(meaning.everyday.scores(meaning.task).max()) if meaning else 0.0
    first, more = MEANING_LIMIT if meaning else WORDS_LIMIT
    shares = {index.ids[one.doc]: one.score / found[0].score for one in found}
    return TaskFit(shares, fit > first + more * log(len(index.ids)))


def weigh_best(values: Sequence[float]) -> float:
    """Return the combined score of the best values, which come first; missing values count as 0."""
    return sum(share * value for share, value in zip(BEST_SHARES, values, strict=False))


def rate_words(query: Query, words: Sequence[str], documents: "SegmentDocuments", unwanted: Collection[int]) -> float:
    """Return how much of a task's words the best texts have; 1 if each has a word that no other text has.

    It counts less if the best lacks much of the task: one shared word is not enough, however rare.
    """
    from openkoi_search.bm25 import rarity

    scopes = documents.visible_scopes(query)
    size, _ = documents.measure(scopes)
    ranked = documents.rank_by_words(query, scopes, words, len(BEST_SHARES) + len(unwanted))
    scores = {doc: score for doc, score in ranked.items() if doc not in unwanted}
    if not scores:
        return 0.0
    best = max(scores, key=scores.__getitem__)
    known = documents.find_words(scopes, words, [best]).values()
    unknown = rarity(1, size) * (len(words) - len(known))
    covered = sum(weight for weight, docs in known if best in docs) / (sum(weight for weight, _ in known) + unknown)
    scored = weigh_best(sorted(scores.values(), reverse=True)) / documents.weigh(1, size)
    return scored * float(covered**COVERED_EXPONENT)
