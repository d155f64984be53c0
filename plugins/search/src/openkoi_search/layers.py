"""All vectors in two files: most in a base that stays as it is, and in a short tail what came after it.

So a new vector costs a few rows and not a hundred thousand, and what was made of the base, a graph, stays true. The
tail says which base it belongs to, and which rows of that count no more. It is written anew with every change, and when
it has become too long for that, the base is. Knows rows; knows no file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import TYPE_CHECKING, Protocol

from .sidecar import Sidecar, searchable

if TYPE_CHECKING:
    from .bm25 import Numbers
    from .sidecar import Versions

SHARE = 32
Near = Mapping[int, float]


class Truth(Protocol):
    """The store of the original vectors."""

    def mark(self) -> str:
        """What tells one state of the vectors from another; empty when there are none."""

    def versions(self, model: str) -> "tuple[Numbers, Versions]":
        """The documents that have a vector of a model, in order, and of each what changes when it does."""

    def all_vectors(self, model: str, docs: Sequence[int] | None = None) -> Sidecar | None:
        """All vectors of a model, or those of some documents, each shelf's name once; None when there is none."""


@dataclass(frozen=True, slots=True)
class Layers:
    """A base, and a tail where anything has changed since."""

    base: Sidecar
    tail: Sidecar | None = None

    @property
    def mark(self) -> str:
        """The state that both together are."""
        return self.tail.mark if self.tail else self.base.mark

    @property
    def dimensions(self) -> int:
        """How long a vector is."""
        return self.base.dimensions

    def nearest(self, vector: Sequence[float], most: int, shelves: Sequence[str]) -> Near:
        """The nearest documents on these shelves, and their cosines."""
        if self.tail is None:
            return self.base.nearest(vector, most, shelves)
        found = {**self.still(vector, most, shelves), **self.tail.nearest(vector, most, shelves)}
        return dict(nlargest(most, found.items(), key=lambda one: one[1]))

    def still(self, vector: Sequence[float], most: int, shelves: Sequence[str]) -> Near:
        """The nearest of the base that still count: more are looked for while too many of the found ones do not."""
        wanted = most
        while True:
            found = self.base.nearest(vector, wanted, shelves)
            there = {doc: found[doc] for doc in self.counting(list(found))}
            if len(there) >= most or len(found) < wanted:
                return there
            wanted *= 2

    def cosines(self, vector: Sequence[float], docs: Sequence[int]) -> Near:
        """The cosines of those of the documents that have a vector."""
        if self.tail is None:
            return self.base.cosines(vector, docs)
        return {**self.base.cosines(vector, self.counting(docs)), **self.tail.cosines(vector, docs)}

    def counting(self, docs: Sequence[int]) -> Sequence[int]:
        """Those of the documents whose rows in the base still count."""
        import numpy

        gone = self.tail.gone if self.tail else None
        if gone is None or not len(gone):
            return docs
        asked = numpy.array(docs, numpy.int64)
        still: list[int] = asked[numpy.append(gone, -1)[numpy.searchsorted(gone, asked)] != asked].tolist()
        return still


def tail_of(base: Sidecar, truth: Truth) -> Sidecar | None:
    """What has changed since the base; None when that is so much that there should be another one."""
    import numpy

    if base.versions is None:
        return None
    docs, versions = truth.versions(base.model)
    rows = numpy.searchsorted(base.docs, docs).clip(0, len(base.docs) - 1)
    same = (base.docs[rows] == docs) & (base.versions[rows] == versions)
    fresh, gone = docs[~same].tolist(), numpy.delete(base.docs, rows[same])
    if (len(fresh) + len(gone)) * SHARE > len(base.docs):
        return None
    found = truth.all_vectors(base.model, fresh) if fresh else base.without_vectors(truth.mark())
    return searchable(found).after(base, gone) if found and found.dimensions == base.dimensions else None
