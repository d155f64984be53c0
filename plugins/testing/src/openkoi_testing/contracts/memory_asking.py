"""What the suites of memories ask: within a project, for everything, or only for ids."""

import asyncio
from collections.abc import Sequence

from openkoi_hookspecs import Hit, Memory, Query

from .memory_log import SUBJECTS


def found(memory: Memory, text: str, **facts: object) -> Sequence[Hit]:
    """Ask within a project."""
    asked = {"project": "koi"} | facts
    return list(asyncio.run(memory.search(Query(text, **asked))))  # type: ignore[arg-type]  # any of its fields


def everything(memory: Memory, text: str) -> Sequence[Hit]:
    """Ask for all that there is in a project."""
    return found(memory, text, project="a", limit=100, tokens=100_000)


def answers(memory: Memory) -> list[Sequence[Hit]]:
    """Return what a memory says to a number of questions."""
    return [everything(memory, f"mend the {subject}") for subject in SUBJECTS[::4]]


def ids(hits: Sequence[Hit]) -> list[str]:
    """Return the ids of what was found, in order."""
    return [hit.item.id for hit in hits]
