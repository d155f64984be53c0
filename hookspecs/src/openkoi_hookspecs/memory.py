"""Memory: what is kept after a run, and what later runs recall."""

from collections.abc import Sequence
from dataclasses import KW_ONLY
from enum import StrEnum
from typing import TypeAlias

from .lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a transcript, a document or a past task."""

    id: str
    text: str
    _: KW_ONLY
    kind: str = "transcript"
    origin: str = ""


class LearningStatus(StrEnum):
    """How far a learning is trusted: it is on probation until it has helped, and it is archived, never deleted."""

    PROBATION = "probation"
    ACTIVE = "active"
    STALE = "stale"
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True)
class Learning:
    """One thing worth knowing next time, in 200 characters or fewer, with the evidence for it.

    ``kind`` is anti_pattern, heuristic, preference or fact. ``keys`` are the globs, tools, error codes and names it is
    about. ``evidence`` are ids of records. ``untrusted`` text is shown as data, never as an instruction: it is neither
    approved by the user nor proved to help, or it came from a page, a tool, a file or a message. ``confidence`` follows
    from its outcomes, before any decay; ``last_used`` is when it last helped, ``expires_at`` when it will no longer be
    shown unless it helps again; both in ISO 8601, or empty.
    """

    id: str
    kind: str
    text: str
    _: KW_ONLY
    keys: tuple[str, ...] = ()
    scope: str = "project"
    origin: str = "repair"
    evidence: tuple[str, ...] = ()
    status: LearningStatus = LearningStatus.PROBATION
    untrusted: bool = False
    shown: int = 0
    helpful: int = 0
    harmful: int = 0
    confidence: float = 0.5
    last_used: str = ""
    expires_at: str = ""
    superseded_by: str = ""


MemoryItem: TypeAlias = Passage | Learning


@dataclass(frozen=True, slots=True)
class Query:
    """A memory search.

    If ``kinds`` is empty, any kind is found; ``keys`` must overlap; ``tokens`` limits the size of the result.
    ``project`` is the task's project: with the scope ``project``, only what was learned in it is searched.
    """

    text: str
    _: KW_ONLY
    kinds: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    scope: str = "project"
    project: str = ""
    limit: int = 20
    tokens: int = 2_000


@dataclass(frozen=True, slots=True)
class Hit:
    """A search result and its relevance, 0.0 to 1.0 within one search.

    ``similarity`` is how close the query and the item are in meaning, a cosine from 0.0 to 1.0; 0.0 without an
    embedder.
    """

    item: MemoryItem
    relevance: float
    _: KW_ONLY
    similarity: float = 0.0


@dataclass(frozen=True, slots=True)
class Recall:
    """What memory found for a task, the same for the whole run, so that the prompt can be cached.

    ``held_out`` names what this run is not shown, to measure whether it helps; ``--why`` lists it.
    """

    hits: Sequence[Hit] = ()
    held_out: Sequence[str] = ()
