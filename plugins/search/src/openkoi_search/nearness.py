"""The nearest documents to a question, by the files of vectors or, when they cannot be used, by whoever has the truth.

Knows the files, and what to do when they are not well; knows no embedder and no database.
"""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock

from .graphs import ABOVE, graph_over
from .layers import Layers, Truth, tail_of
from .sidecar import Sidecar, read, searchable, write
from .stamps import Stamp, stamp_of
from .sums import CorruptFileError

NEAR_ENOUGH = 0.3
Stamps = tuple[Stamp | None, Stamp | None]


@dataclass(slots=True)
class Vectors:
    """The file beside the memory file, as this process last saw it. ``weight`` is what vectors count against words."""

    path: Path
    model: str
    weight: float
    known: Layers | None = None
    stamp: Stamps | None = None
    lock: Lock = field(default_factory=Lock)

    def sidecar(self, truth: Truth) -> Layers | None:
        """The vectors as they are now; None when there are none of the model."""
        mark = truth.mark()
        if not mark:
            return None
        with self.lock:
            if not self.known_as(mark):
                self.known = self.open_layers(truth, mark) or self.made(truth)
                self.stamp = self.stamps
            return self.known

    def known_as(self, mark: str) -> bool:
        """Whether the vectors of this state are at hand, or there are none, and the files are as they were."""
        return not mark or (self.known is not None and self.known.mark == mark and self.stamp == self.stamps)

    @property
    def beside(self) -> Path:
        """Where the tail lies."""
        return self.path.with_name(f"{self.path.name}.tail")

    @property
    def stamps(self) -> Stamps:
        """What tells one state of the files from another."""
        return stamp_of(self.path), stamp_of(self.beside)

    def open_layers(self, truth: Truth, mark: str) -> Layers | None:
        """Return the files and what has changed since they were written, or None when all must be rewritten."""
        base = self.base()
        if base is None or base.mark == mark:
            return Layers(base) if base else None
        tail = self.mapped(self.beside)
        if tail and (tail.mark, tail.base) == (mark, base.mark):
            return Layers(base, tail)
        tail = tail_of(base, truth)
        if tail:
            self.write(self.beside, tail)
        return Layers(base, tail) if tail else None

    def base(self) -> Sidecar | None:
        """The base: as it is at hand, or from its file."""
        if self.known and self.stamp and self.stamp[0] and self.stamp[0] == self.stamps[0]:
            return self.known.base
        found = self.mapped(self.path)
        return self.linked(found) if found and not found.base else None

    def mapped(self, path: Path) -> Sidecar | None:
        """Return a file, if it exists, is valid and belongs to the model."""
        try:
            found = read(path)
        except FileNotFoundError:
            return None
        except (CorruptFileError, OSError) as why:
            self.say_damaged(path, why)
            return None
        return found if found.model == self.model else None

    def made(self, truth: Truth) -> Layers | None:
        """The vectors themselves, and the file made again where there is room."""
        found = truth.all_vectors(self.model)
        if found is None:
            return None
        one = searchable(found)
        self.write(self.path, one)
        with suppress(OSError):
            self.beside.unlink(missing_ok=True)
        return Layers(self.linked(one))

    def write(self, path: Path, one: Sidecar) -> None:
        """Keep vectors in a file, where there is room."""
        try:
            write(path, one)
        except OSError as why:
            self.say(path, f"could not be written ({why}). Searching goes on without it, and takes longer.")

    def linked(self, found: Sidecar) -> Sidecar:
        """Return the same vectors, with a graph if there is one of that size."""
        if len(found.docs) <= ABOVE:
            return found
        graph = graph_over(self.path, found.mark, found.scanned.matrix)
        return replace(found, scanned=replace(found.scanned, graph=graph))

    def give_up(self, why: CorruptFileError) -> None:
        """Believe the files no more: what was read of them was not what was written."""
        self.say_damaged(self.path, why)
        with self.lock:
            self.known = None
            for path in (self.path, self.beside):
                if path.is_file():
                    path.unlink(missing_ok=True)

    def say_damaged(self, path: Path, why: Exception) -> None:
        """Warn of a file that is damaged."""
        self.say(path, f"could not be read ({why}). It was made again from the memory file.")

    def say(self, path: Path, what: str) -> None:
        """Warn of something about a file."""
        logging.getLogger("openkoi").warning("The file of vectors %s %s", path, what)


@dataclass(frozen=True, slots=True)
class Meant:
    """What a question means, as a vector, and where the nearest are found."""

    vector: Sequence[float]
    vectors: Vectors

    def near(self, found: Layers | None, shelves: Sequence[str], docs: Sequence[int], most: int) -> Mapping[int, float]:
        """The cosines of these documents, and of the nearest others that are near enough."""
        if found is None or len(self.vector) != found.dimensions:
            return {}
        near = found.nearest(self.vector, most, shelves)
        near = {doc: score for doc, score in near.items() if score >= NEAR_ENOUGH}
        return near | dict(found.cosines(self.vector, docs))
