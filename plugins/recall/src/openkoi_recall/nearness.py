"""The nearest documents to a question, by the file of vectors or, when it cannot be used, by whoever has the truth.

Knows the file, and what to do when it is not well; knows no embedder and no database.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Protocol

from .graphs import ABOVE, graph_over
from .sidecar import Sidecar, read, searchable, write
from .stamps import Stamp, stamp_of
from .sums import Damaged

NEAR_ENOUGH = 0.3


class Truth(Protocol):
    """Whoever has the vectors themselves."""

    def mark(self) -> str:
        """What tells one state of the vectors from another; empty when there are none."""

    def all_vectors(self, model: str) -> Sidecar | None:
        """All vectors of a model, each shelf's name once; None when there is none."""


@dataclass(slots=True)
class Vectors:
    """The file beside the memory file, as this process last saw it. ``weight`` is what vectors count against words."""

    path: Path
    model: str
    weight: float
    known: Sidecar | None = None
    stamp: Stamp | None = None
    lock: Lock = field(default_factory=Lock)

    def sidecar(self, truth: Truth) -> Sidecar | None:
        """The vectors as they are now; None when there are none of the model."""
        mark = truth.mark()
        if not mark:
            return None
        with self.lock:
            if not self.known_as(mark):
                self.known = self.linked(self.mapped(mark) or self.made(truth))
                self.stamp = stamp_of(self.path)
            return self.known

    def known_as(self, mark: str) -> bool:
        """Whether the vectors of this state are at hand, or there are none; the file is as it was when they were."""
        return not mark or (self.known is not None and self.known.mark == mark and self.stamp == stamp_of(self.path))

    def mapped(self, mark: str) -> Sidecar | None:
        """The file, if it is there, well so far, and of the same state."""
        try:
            found = read(self.path)
        except FileNotFoundError:
            return None
        except (Damaged, OSError) as why:
            self.say_damaged(why)
            return None
        return found if (found.mark, found.model) == (mark, self.model) else None

    def made(self, truth: Truth) -> Sidecar | None:
        """The vectors themselves, and the file made again where there is room."""
        found = truth.all_vectors(self.model)
        if found is None:
            return None
        one = searchable(found)
        try:
            write(self.path, one)
        except OSError as why:
            self.say(f"could not be written ({why}). Searching goes on without it, and takes longer.")
        return one

    def linked(self, found: Sidecar | None) -> Sidecar | None:
        """The same vectors, with a graph where there is one for so many."""
        if found is None or len(found.docs) <= ABOVE:
            return found
        graph = graph_over(self.path, found.mark, found.scanned.matrix)
        return replace(found, scanned=replace(found.scanned, graph=graph))

    def give_up(self, why: Damaged) -> None:
        """Believe the file no more: what was read of it was not what was written."""
        self.say_damaged(why)
        with self.lock:
            self.known = None
            if self.path.is_file():
                self.path.unlink(missing_ok=True)

    def say_damaged(self, why: Exception) -> None:
        """Warn of a file that is damaged."""
        self.say(f"could not be read ({why}). It was made again from the memory file.")

    def say(self, what: str) -> None:
        """Warn of something about the file."""
        logging.getLogger("openkoi").warning("The file of vectors %s %s", self.path, what)


@dataclass(frozen=True, slots=True)
class Meant:
    """What a question means, as a vector, and where the nearest are found."""

    vector: Sequence[float]
    vectors: Vectors

    def near(
        self, found: Sidecar | None, shelves: Sequence[str], docs: Sequence[int], most: int
    ) -> Mapping[int, float]:
        """The cosines of these documents, and of the nearest others that are near enough."""
        if found is None or len(self.vector) != found.scanned.matrix.shape[1]:
            return {}
        rows, scores = found.scanned.nearest(self.vector, most, found.rows_on(shelves))
        near = {int(found.docs[row]): float(score) for row, score in zip(rows, scores, strict=True)}
        near = {doc: score for doc, score in near.items() if score >= NEAR_ENOUGH}
        known, places = found.rows_of(docs)
        told = found.scanned.scores_of(places, self.vector)
        return near | dict(zip(known, told.tolist(), strict=True))
