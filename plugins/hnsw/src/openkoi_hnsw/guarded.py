"""The graph as memory asks it: read or built meanwhile, measured again and again, and left when it finds too little.

It answers nothing before it is there: a question never waits for it. Knows when; knows no layout.
"""

import atexit
import logging
from contextlib import suppress
from threading import Event, Thread
from typing import TYPE_CHECKING

from openkoi_search.one_thread import one_thread

from .graph import HnswGraph, Stopped, built
from .guard import ENOUGH, K, RecallGuard, measure_recall, share
from .kept import GraphFile

if TYPE_CHECKING:
    from openkoi_search.bm25 import Matrix, Numbers, Scores

READ_AT, BUILD_AT = 2, 16


class Guarded:
    """A graph over vectors. Who asks twice has it read, who asks often has it built."""

    def __init__(self, kept: GraphFile, matrix: "Matrix") -> None:
        self.kept = kept
        self.matrix = matrix
        self.guard = RecallGuard()
        self.graph: HnswGraph | None = None
        self.questions = 0
        self.work: Thread | None = None
        self.stop = Event()

    def rows(self, vector: "Scores", most: int) -> "Numbers | None":
        """Return the nearest rows, or None without a trusted graph, and now and then to measure it."""
        if self.graph is None:
            self.questions += 1
            self.prepare()
            return None
        if not self.guard.is_trusted or self.guard.due():
            return None
        return self.graph.rows(vector, most)

    def record_exact(self, vector: "Scores", nearest: "Numbers") -> None:
        """Measure the graph by what was found without it."""
        if self.graph is None or not self.guard.is_trusted:
            return
        self.guard.note(share(self.graph.rows(vector, K), nearest))
        if not self.guard.is_trusted:
            self.say(f"finds only {self.guard.recall:.2f} of the nearest {K}")

    def prepare(self) -> None:
        """Begin to read or to build it, when it is time."""
        told = self.kept.read_metadata() if self.work is None and self.questions >= READ_AT else None
        refused = told is not None and not told.digest
        if self.work or refused or self.questions < (READ_AT if told else BUILD_AT):
            return
        self.work = Thread(target=self.made, name="hnsw", daemon=True)
        atexit.register(self.close)
        self.work.start()

    def close(self) -> None:
        """Stop what is under way, and wait for it to have stopped."""
        self.stop.set()
        atexit.unregister(self.close)
        if self.work:
            self.work.join()

    def made(self) -> None:
        """Read the graph, or build it where it is not there or not well."""
        one_thread()
        with suppress(Stopped):
            try:
                self.graph = self.read() or self.fresh()
            except Exception as error:  # hnswlib's are of any class: vectors are scanned without it
                self.say(f"could not be made ({error})")

    def read(self) -> HnswGraph | None:
        """The graph from its file."""
        told = self.kept.read_metadata()
        if told is None or not told.digest or (told.rows, told.dimensions) != self.matrix.shape:
            return None
        found = self.kept.load(told)
        if found is None:
            self.say("was damaged, and is built again", meanwhile=True)
        return found

    def fresh(self) -> HnswGraph | None:
        """A new graph, if it finds enough."""
        graph = built(self.matrix, self.stop.is_set)
        recall = measure_recall(graph, self.matrix, self.stop.is_set)
        if self.stop.is_set():
            raise Stopped
        try:
            if recall >= ENOUGH:
                self.kept.save(graph, recall)
                return graph
            self.kept.refuse(len(self.matrix), self.matrix.shape[1], recall)
        except OSError as error:
            self.say(f"could not be kept ({error})", meanwhile=True)
            return graph if recall >= ENOUGH else None
        self.say(f"finds only {recall:.2f} of the nearest {K}")
        return None

    def say(self, what: str, *, meanwhile: bool = False) -> None:
        """Warn of something about the graph."""
        then = "Meanwhile" if meanwhile else "So"
        logging.getLogger("openkoi").warning(
            "The graph of vectors %s %s. %s all vectors are looked at, which takes longer and misses nothing.",
            self.kept.path,
            what,
            then,
        )
