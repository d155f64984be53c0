"""Measure the recall of a graph against exact search."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openkoi_search.bm25 import Matrix, Numbers, Scores

    from .graph import HnswGraph

K = 10
ENOUGH = 0.95
WIDTHS = (128, 256, 512)
SAMPLE = 48
EVERY = 128
FADE = 0.9


@dataclass(slots=True)
class RecallGuard:
    """The share of the nearest ten that is found, as last measured."""

    recall: float = 1.0
    asked: int = 0
    measured: int = 0

    @property
    def is_trusted(self) -> bool:
        """Return whether recall is sufficient."""
        return self.recall >= ENOUGH

    def due(self) -> bool:
        """Whether this question is one to measure by."""
        self.asked += 1
        return self.asked % EVERY == 0

    def note(self, share: float) -> None:
        """Add a measurement; the older count less."""
        self.measured += 1
        self.recall = FADE * self.recall + (1 - FADE) * share


def share(found: "Numbers | Sequence[int] | None", nearest: "Numbers") -> float:
    """What share of the nearest ten was found."""
    wanted = set(nearest[:K].tolist())
    return len(wanted & set([] if found is None else list(map(int, found)))) / max(len(wanted), 1)


def measure_recall(graph: "HnswGraph", matrix: "Matrix", stopped: Callable[[], bool]) -> float:
    """Return the recall of the narrowest sufficient graph, or of the widest."""
    questions = sample(matrix)
    nearest = []
    for question in questions:
        if stopped():
            return 0.0
        nearest.append((-(matrix @ question)).argpartition(K)[:K])
    recall = 0.0
    for wide in WIDTHS:
        graph.widen(wide)
        recall = sum(share(graph.rows(q, K), rows) for q, rows in zip(questions, nearest, strict=True)) / len(nearest)
        if recall >= ENOUGH:
            break
    return recall


def sample(matrix: "Matrix") -> "list[Scores]":
    """Questions such as may come: near the vectors that there are, though at none of them."""
    import numpy

    chance = numpy.random.default_rng(len(matrix))
    rows = matrix[chance.choice(len(matrix), SAMPLE)]
    moved = rows + chance.standard_normal(rows.shape, numpy.float32) * numpy.float32(0.5 / matrix.shape[1] ** 0.5)
    return list(moved / numpy.sqrt((moved * moved).sum(axis=1, keepdims=True)))
