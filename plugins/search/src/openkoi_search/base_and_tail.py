"""Keep vectors in two files: a base that rarely changes, and a short tail of later changes.

So a new vector costs a few rows instead of all, and a graph over the base stays valid. The tail names its base and
lists the rows of it that are outdated. Each change rewrites the tail; when that is too long, the base is rewritten.
"""

from collections.abc import Mapping, Sequence
from heapq import nlargest
from typing import TYPE_CHECKING, Protocol

from openkoi_hookspecs.lazy_dataclass import dataclass

from .vector_file import VectorFile, add_first_pass

if TYPE_CHECKING:
    from .bm25 import Numbers
    from .vector_file import Versions

MAX_TAIL_SHARE = 32  # a larger tail than a 32nd of the base is merged into it (estimate)
Near = Mapping[int, float]


class VectorSource(Protocol):
    """The store of the original vectors."""

    def mark(self) -> str:
        """Return the state of the vectors; empty if there are none."""

    def versions(self, model: str) -> "tuple[Numbers, Versions]":
        """Return the documents that have a vector of a model, in order, and a version of each."""

    def all_vectors(self, model: str, docs: Sequence[int] | None = None) -> VectorFile | None:
        """Return all vectors of a model, or those of some documents; None if there are none. Scope names are unique."""


@dataclass(frozen=True, slots=True)
class VectorLayers:
    """A base, and a tail if anything has changed since."""

    base: VectorFile
    tail: VectorFile | None = None

    @property
    def mark(self) -> str:
        """The state of both together."""
        return self.tail.mark if self.tail else self.base.mark

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self.base.dimensions

    def nearest(self, vector: Sequence[float], most: int, scopes: Sequence[str]) -> Near:
        """Return the nearest documents in these scopes, and their cosines."""
        if self.tail is None:
            return self.base.nearest(vector, most, scopes)
        found = {**self.nearest_in_base(vector, most, scopes), **self.tail.nearest(vector, most, scopes)}
        return dict(nlargest(most, found.items(), key=lambda item: item[1]))

    def nearest_in_base(self, vector: Sequence[float], most: int, scopes: Sequence[str]) -> Near:
        """Return the nearest current documents of the base; search for more while too many results are outdated."""
        wanted = most
        while True:
            found = self.base.nearest(vector, wanted, scopes)
            current = {doc: found[doc] for doc in self.drop_outdated(list(found))}
            if len(current) >= most or len(found) < wanted:
                return current
            wanted *= 2

    def cosines(self, vector: Sequence[float], docs: Sequence[int]) -> Near:
        """Return the cosines of the documents that have a vector."""
        if self.tail is None:
            return self.base.cosines(vector, docs)
        return {**self.base.cosines(vector, self.drop_outdated(docs)), **self.tail.cosines(vector, docs)}

    def drop_outdated(self, docs: Sequence[int]) -> Sequence[int]:
        """Return the documents whose rows in the base are current."""
        import numpy

        gone = self.tail.gone if self.tail else None
        if gone is None or not len(gone):
            return docs
        asked = numpy.array(docs, numpy.int64)
        current: list[int] = asked[numpy.append(gone, -1)[numpy.searchsorted(gone, asked)] != asked].tolist()
        return current


def build_tail(base: VectorFile, truth: VectorSource) -> VectorFile | None:
    """Return what has changed since the base; None if that is so much that the base should be rewritten."""
    import numpy

    if base.versions is None:
        return None
    docs, versions = truth.versions(base.model)
    rows = numpy.searchsorted(base.docs, docs).clip(0, len(base.docs) - 1)
    same = (base.docs[rows] == docs) & (base.versions[rows] == versions)
    fresh, gone = docs[~same].tolist(), numpy.delete(base.docs, rows[same])
    if (len(fresh) + len(gone)) * MAX_TAIL_SHARE > len(base.docs):
        return None
    found = truth.all_vectors(base.model, fresh) if fresh else base.without_vectors(truth.mark())
    return add_first_pass(found).as_tail(base, gone) if found and found.dimensions == base.dimensions else None
