"""Load or build a graph in the background, measure it repeatedly, and drop it if its recall is too low.

A query never waits for it: until it is ready, it returns nothing.
"""

import atexit
import logging
from contextlib import suppress
from threading import Event, Thread
from typing import TYPE_CHECKING

from ..one_thread import one_thread
from .graph import BuildStoppedError, HnswGraph, build_graph
from .graph_file import GraphFile
from .guard import MEASURED_NEIGHBOURS, MIN_RECALL, RecallGuard, found_share, measure_recall

if TYPE_CHECKING:
    from ..bm25 import Matrix, Numbers, Scores

READ_AT, BUILD_AT = 2, 16  # queries, after which it is loaded or built (estimates)


class VerifiedGraph:
    """A graph over vectors. The second query loads it, the sixteenth builds it."""

    def __init__(self, kept: GraphFile, matrix: "Matrix") -> None:
        self.file = kept
        self.matrix = matrix
        self.guard = RecallGuard()
        self.graph: HnswGraph | None = None
        self.questions = 0
        self.work: Thread | None = None
        self.stop = Event()

    def rows(self, vector: "Scores", most: int) -> "Numbers | None":
        """Return the nearest rows; None if there is no trusted graph, and now and then to measure the graph."""
        if self.graph is None:
            self.questions += 1
            self.prepare()
            return None
        if not self.guard.is_trusted or self.guard.is_due():
            return None
        return self.graph.rows(vector, most)

    def record_exact(self, vector: "Scores", nearest: "Numbers") -> None:
        """Measure the graph by an exact result."""
        if self.graph is None or not self.guard.is_trusted:
            return
        self.guard.add_measurement(found_share(self.graph.rows(vector, MEASURED_NEIGHBOURS), nearest))
        if not self.guard.is_trusted:
            self.warn(f"finds only {self.guard.recall:.0%} of the nearest vectors")

    def prepare(self) -> None:
        """Start to load or build the graph when it is time."""
        metadata = self.file.read_metadata() if self.work is None and self.questions >= READ_AT else None
        refused = metadata is not None and not metadata.digest
        if self.work or refused or self.questions < (READ_AT if metadata else BUILD_AT):
            return
        self.work = Thread(target=self.load_or_build, name="hnsw", daemon=True)
        atexit.register(self.close)
        self.work.start()

    def close(self) -> None:
        """Stop the background work, and wait for it."""
        self.stop.set()
        atexit.unregister(self.close)
        if self.work:
            self.work.join()

    def load_or_build(self) -> None:
        """Load the graph, or build it if it is missing or damaged."""
        one_thread()
        with suppress(BuildStoppedError):
            try:
                self.graph = self.load() or self.build()
            except Exception as error:  # hnswlib raises any class: vectors are scanned without it
                self.warn(f"could not be built ({error})")

    def load(self) -> HnswGraph | None:
        """Load the graph from its file."""
        metadata = self.file.read_metadata()
        if metadata is None or not metadata.digest or (metadata.rows, metadata.dimensions) != self.matrix.shape:
            return None
        found = self.file.load(metadata)
        if found is None:
            self.warn("was damaged and is being rebuilt", until="Until then, ")
        return found

    def build(self) -> HnswGraph | None:
        """Build a graph, if its recall is sufficient."""
        graph = build_graph(self.matrix, self.stop.is_set)
        recall = measure_recall(graph, self.matrix, self.stop.is_set)
        if self.stop.is_set():
            raise BuildStoppedError
        try:
            if recall >= MIN_RECALL:
                self.file.save(graph, recall)
                return graph
            self.file.mark_unusable(len(self.matrix), self.matrix.shape[1], recall)
        except OSError as error:
            good = recall >= MIN_RECALL
            self.warn(
                f"could not be saved ({error.strerror or error})", until="In other processes, " if good else "Instead, "
            )
            return graph if good else None
        self.warn(f"finds only {recall:.0%} of the nearest vectors")
        return None

    def warn(self, what: str, *, until: str = "Instead, ") -> None:
        """Warn about the graph."""
        logging.getLogger("openkoi").warning(
            "The vector graph %s %s. %sall vectors are scanned, which is exact but takes longer.",
            self.file.path,
            what,
            until,
        )
