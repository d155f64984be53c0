"""The nearest documents to a question, by the file of vectors or, when it cannot be used, by the tables.

Knows the file, and what to do when it is not well; knows no embedder.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from .sidecar import Damaged, Sidecar, read, sidecar_of, write
from .vectors import all_vectors, mark_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

NEAR_ENOUGH = 0.3
Stamp = tuple[int, int, int]


@dataclass(slots=True)
class Vectors:
    """The file beside the memory file, as this process last saw it. ``weight`` is what vectors count against words."""

    path: Path
    model: str
    weight: float
    known: Sidecar | None = None
    stamp: Stamp | None = None
    lock: Lock = field(default_factory=Lock)

    def sidecar(self, connection: "DuckDBPyConnection") -> Sidecar | None:
        """The vectors as the tables have them now; None when these have none of the model."""
        mark = mark_of(connection)
        if not mark:
            return None
        with self.lock:
            if not self.known_as(mark):
                self.known = self.mapped(mark) or self.made(connection)
                self.stamp = stamp_of(self.path)
            return self.known

    def known_as(self, mark: str) -> bool:
        """Whether the vectors of this state are at hand, or there are none; the file is as it was when they were."""
        return not mark or (self.known is not None and self.known.mark == mark and self.stamp == stamp_of(self.path))

    def mapped(self, mark: str) -> Sidecar | None:
        """The file, if it is there, well, and of the same state."""
        try:
            found = read(self.path)
        except FileNotFoundError:
            return None
        except (Damaged, OSError) as why:
            self.say(f"could not be read ({why}). It was made again from the memory file.")
            return None
        return found if (found.mark, found.model) == (mark, self.model) else None

    def made(self, connection: "DuckDBPyConnection") -> Sidecar | None:
        """The vectors from the tables, and the file made again where there is room."""
        found = all_vectors(connection, self.model)
        if found is None:
            return None
        one = sidecar_of(found, self.model)
        try:
            write(self.path, one)
        except OSError as why:
            self.say(f"could not be written ({why}). Searching goes on without it, and takes longer.")
        return one

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


def stamp_of(path: Path) -> Stamp | None:
    """What tells one file of a name from another: nothing when there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
