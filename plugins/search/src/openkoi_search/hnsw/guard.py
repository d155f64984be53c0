"""Measure the recall of a graph against exact search."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..bm25 import Matrix, Numbers, Scores
    from .graph import HnswGraph

MEASURED_NEIGHBOURS = 10
MIN_RECALL = 0.95  # below this recall, results change visibly (estimate)
WIDTHS = (128, 256, 512)
SAMPLE_QUERIES = 48
MEASURE_INTERVAL = 128  # queries
DECAY = 0.9  # weight of the previous recall in the running average (estimate)


@dataclass(slots=True)
class RecallGuard:
    """The share of the nearest ten that the graph finds, as last measured."""

    recall: float = 1.0
    asked: int = 0
    measured: int = 0

    @property
    def is_trusted(self) -> bool:
        """Return whether recall is sufficient."""
        return self.recall >= MIN_RECALL

    def is_due(self) -> bool:
        """Return whether to measure by this query."""
        self.asked += 1
        return self.asked % MEASURE_INTERVAL == 0

    def add_measurement(self, share: float) -> None:
        """Add a measurement; older ones count less."""
        self.measured += 1
        self.recall = DECAY * self.recall + (1 - DECAY) * share


def found_share(found: "Numbers | Sequence[int] | None", nearest: "Numbers") -> float:
    """Return the share of the nearest ten that was found."""
    wanted = set(nearest[:MEASURED_NEIGHBOURS].tolist())
    return len(wanted & set([] if found is None else list(map(int, found)))) / max(len(wanted), 1)


def measure_recall(graph: "HnswGraph", matrix: "Matrix", stopped: Callable[[], bool]) -> float:
    """Return the recall of the narrowest sufficient graph, or of the widest."""
    questions = sample_queries(matrix)
    nearest = []
    for question in questions:
        if stopped():
            return 0.0
        nearest.append((-(matrix @ question)).argpartition(MEASURED_NEIGHBOURS)[:MEASURED_NEIGHBOURS])
    recall = 0.0
    for wide in WIDTHS:
        graph.widen(wide)
        recall = sum(
            found_share(graph.rows(q, MEASURED_NEIGHBOURS), rows) for q, rows in zip(questions, nearest, strict=True)
        ) / len(nearest)
        if recall >= MIN_RECALL:
            break
    return recall


def sample_queries(matrix: "Matrix") -> "list[Scores]":
    """Return queries that are near the vectors but not equal to any."""
    import numpy

    chance = numpy.random.default_rng(len(matrix))
    rows = matrix[chance.choice(len(matrix), SAMPLE_QUERIES)]
    moved = rows + chance.standard_normal(rows.shape, numpy.float32) * numpy.float32(0.5 / matrix.shape[1] ** 0.5)
    return list(moved / numpy.sqrt((moved * moved).sum(axis=1, keepdims=True)))
