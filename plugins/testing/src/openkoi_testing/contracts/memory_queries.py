"""Query memories: within a project, for everything, or only for ids."""

import asyncio
from collections.abc import Sequence

from openkoi_hookspecs import Hit, Memory, Query

from .memory_log import SUBJECTS


def search_project(memory: Memory, text: str, **facts: object) -> Sequence[Hit]:
    """Search within a project."""
    asked = {"project": "koi"} | facts
    return list(asyncio.run(memory.search(Query(text, **asked))))  # type: ignore[arg-type]  # any of its fields


def search_all(memory: Memory, text: str) -> Sequence[Hit]:
    """Search for everything in a project."""
    return search_project(memory, text, project="a", limit=100, tokens=100_000)


def search_many(memory: Memory) -> list[Sequence[Hit]]:
    """Return a memory's answers to several queries."""
    return [search_all(memory, f"fix the {subject}") for subject in SUBJECTS[::4]]


def ids_of(hits: Sequence[Hit]) -> list[str]:
    """Return the ids of what was found, in order."""
    return [hit.item.id for hit in hits]
