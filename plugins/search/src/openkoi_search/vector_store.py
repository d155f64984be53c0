"""Find the documents nearest to a question, in the vector files or, when these are unusable, in the database."""

import logging
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path
from threading import Lock
from typing import ClassVar, Protocol

from openkoi_hookspecs.lazy_dataclass import dataclass

from .base_and_tail import VectorLayers, VectorSource, build_tail
from .checksums import CorruptFileError
from .file_version import FileVersion, file_version
from .ranking import Documents
from .vector_file import VectorFile, add_first_pass, read, write
from .vector_graph import GRAPH_MIN_VECTORS, open_graph

MIN_COSINE = 0.3  # sentence embeddings of unrelated texts can be as close as this (estimate)
Stamps = tuple[FileVersion | None, FileVersion | None]


@dataclass(slots=True)
class VectorStore:
    """The vector files of a memory file, as this process last read them. ``weight`` counts vectors against words."""

    path: Path
    model: str
    weight: float
    layers: VectorLayers | None = None
    stamp: Stamps | None = None
    lock: Lock = field(default_factory=Lock)

    def current_layers(self, truth: VectorSource) -> VectorLayers | None:
        """Return the current vectors; None if the model has none."""
        mark = truth.mark()
        if not mark:
            return None
        with self.lock:
            if not self.is_current(mark):
                self.layers = self.open_layers(truth, mark) or self.rebuild_layers(truth)
                self.stamp = self.stamps
            return self.layers

    def is_current(self, mark: str) -> bool:
        """Return whether this state's vectors, if any, are loaded, and the files are unchanged."""
        return not mark or (self.layers is not None and self.layers.mark == mark and self.stamp == self.stamps)

    @property
    def tail_path(self) -> Path:
        """The path of the tail."""
        return self.path.with_name(f"{self.path.name}.tail")

    @property
    def stamps(self) -> Stamps:
        """The state of the files."""
        return file_version(self.path), file_version(self.tail_path)

    def open_layers(self, truth: VectorSource, mark: str) -> VectorLayers | None:
        """Return the files and what has changed since they were written, or None when all must be rewritten."""
        base = self.open_base()
        if base is None or base.mark == mark:
            return VectorLayers(base) if base else None
        tail = self.open_file(self.tail_path)
        if tail and (tail.mark, tail.base) == (mark, base.mark):
            return VectorLayers(base, tail)
        tail = build_tail(base, truth)
        if tail:
            self.write(self.tail_path, tail)
        return VectorLayers(base, tail) if tail else None

    def open_base(self) -> VectorFile | None:
        """Return the base, as it is loaded or from its file."""
        if self.layers and self.stamp and self.stamp[0] and self.stamp[0] == self.stamps[0]:
            return self.layers.base
        found = self.open_file(self.path)
        return self.with_graph(found) if found and not found.base else None

    def open_file(self, path: Path) -> VectorFile | None:
        """Return a file, if it exists, is valid and belongs to the model."""
        try:
            found = read(path)
        except FileNotFoundError:
            return None
        except (CorruptFileError, OSError) as why:
            self.warn_damaged(path, why)
            return None
        return found if found.model == self.model else None

    def rebuild_layers(self, truth: VectorSource) -> VectorLayers | None:
        """Read the vectors from the database, and rewrite the file."""
        found = truth.all_vectors(self.model)
        if found is None:
            return None
        vectors = add_first_pass(found)
        self.write(self.path, vectors)
        with suppress(OSError):
            self.tail_path.unlink(missing_ok=True)
        return VectorLayers(self.with_graph(vectors))

    def write(self, path: Path, vectors: VectorFile) -> None:
        """Write vectors to a file; warn if there is no room."""
        try:
            write(path, vectors)
        except OSError as error:
            self.warn(
                path, f"could not be written ({error.strerror or error}). Searches work without it, but take longer."
            )

    def with_graph(self, found: VectorFile) -> VectorFile:
        """Return the same vectors, with a graph if there are enough of them."""
        if len(found.docs) <= GRAPH_MIN_VECTORS:
            return found
        graph = open_graph(self.path, found.mark, found.vectors.matrix)
        return replace(found, vectors=replace(found.vectors, graph=graph))

    def discard_files(self, why: CorruptFileError) -> None:
        """Delete the files and unload them, because they turned out to be damaged."""
        self.warn_damaged(self.path, why)
        with self.lock:
            self.layers = None
            for path in (self.path, self.tail_path):
                if path.is_file():
                    path.unlink(missing_ok=True)

    def warn_damaged(self, path: Path, why: Exception) -> None:
        """Warn about a damaged file."""
        self.warn(path, f"could not be read ({why}). It was rebuilt from the memory file.")

    def warn(self, path: Path, what: str) -> None:
        """Warn about a file."""
        logging.getLogger("openkoi").warning("Vector file %s %s", path, what)


class DocumentsWithVectors(Documents, Protocol):
    """Documents in a store that also has their vectors."""

    def load_vectors(self, file: VectorStore) -> VectorLayers | None:
        """Return the current vectors; raise VectorsOutdatedError if a cache's vectors are unusable."""


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """A question's vector, and the vectors to search."""

    vector: Sequence[float]
    vectors: VectorStore
    tells_meaning: ClassVar[bool] = True

    @property
    def weight(self) -> float:
        """The weight of vectors against words."""
        return self.vectors.weight

    def measure(
        self, documents: DocumentsWithVectors, scopes: Sequence[str], docs: Collection[int], most: int
    ) -> Mapping[int, float]:
        """Return the cosines of documents; retry once if the vector file turns out to be damaged."""
        try:
            return self.find_nearest(documents.load_vectors(self.vectors), scopes, list(docs), most)
        except CorruptFileError as error:
            self.vectors.discard_files(error)
        return self.find_nearest(documents.load_vectors(self.vectors), scopes, list(docs), most)

    def find_nearest(
        self, found: VectorLayers | None, scopes: Sequence[str], docs: Sequence[int], most: int
    ) -> Mapping[int, float]:
        """Return the cosines of these documents, and of the nearest others that are near enough."""
        if found is None or len(self.vector) != found.dimensions:
            return {}
        near = found.nearest(self.vector, most, scopes)
        near = {doc: score for doc, score in near.items() if score >= MIN_COSINE}
        return near | dict(found.cosines(self.vector, docs))
