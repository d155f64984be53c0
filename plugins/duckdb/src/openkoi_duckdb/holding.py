"""Whether what is held of the documents is still true, and reading it from the tables for who asks a second time.

A file whose size, time and log are as they were holds what it held: it need not be opened at all. Who asks once, as a
run does, never pays for the reading.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import time_ns
from typing import TYPE_CHECKING

from openkoi_hookspecs import Query
from openkoi_recall.fitting import Found
from openkoi_recall.ranking import answer
from openkoi_recall.stamps import Stamp, stamp_of

from .place import Place
from .tables import IN_ORDER, Tables
from .vectors import mark_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from openkoi_recall.bm25 import Numbers
    from openkoi_recall.held import Held
    from openkoi_recall.nearness import Meant
    from openkoi_recall.ranking import Documents

MOST = 200_000
STILL = 100_000_000
DOCUMENTS = "SELECT doc, moment, id, kind, learned, memo, shelf, dl, keys FROM documents ORDER BY doc"
WORDS = "SELECT term, count(*) FROM memory_fts GROUP BY term ORDER BY term"
POSTINGS = "SELECT doc, tf FROM memory_fts ORDER BY term, doc"
AFTER = f"SELECT * FROM (SELECT doc, {IN_ORDER} AS next FROM chunk_places) WHERE next IS NOT NULL"
Stamps = tuple[Stamp | None, Stamp | None]


@dataclass(slots=True)
class Holding:
    """What is held, of which state of the file; and the state that was last asked."""

    place: Place
    held: "tuple[Stamps, Held] | None" = None
    asked: Stamps | None = None

    def now(self, meant: "Meant | None") -> "Held | None":
        """What is held, if it is all that there is; None when the file has changed or the vectors are not at hand."""
        if self.held is None or self.held[0] != self.stamps:
            return None
        held = self.held[1]
        return held if meant is None or meant.vectors.known_as(held.mark) else None

    def answer(self, query: Query, words: list[str], meant: "Meant | None") -> Sequence[Found] | None:
        """What is held answers; None when the file has to be asked."""
        held = self.now(meant)
        if held is None:
            return None
        from openkoi_recall.held import Lost

        try:
            return answer(held, query, words, meant)
        except Lost:
            return None

    def source(self, connection: "DuckDBPyConnection") -> "Documents":
        """The tables of a file that is open; who asks again of the same state has all of it read."""
        stamps, again = self.stamps, self.asked == self.stamps
        self.asked = stamps
        if not again or not still(stamps) or larger(connection):
            self.held = None
            return Tables(connection)
        held = read(connection)
        self.held = (stamps, held)
        return Tables(connection) if held.mark else held

    @property
    def stamps(self) -> Stamps:
        """What tells one state of the file from another."""
        return stamp_of(self.place.path), stamp_of(self.place.log)


def still(stamps: Stamps) -> bool:
    """Whether the last change was long enough ago for the next one to have another time."""
    return all(stamp is None or time_ns() - stamp[2] > STILL for stamp in stamps)


def larger(connection: "DuckDBPyConnection") -> bool:
    """Whether there is more than should be held."""
    found = connection.execute("SELECT count(*) > ? FROM documents", [MOST]).fetchone()
    return bool(found and found[0])


def read(connection: "DuckDBPyConnection") -> "Held":
    """Read all documents."""
    import numpy

    from openkoi_recall.held import Held

    rows = connection.execute(DOCUMENTS).fetchall()
    docs = numpy.array([row[0] for row in rows], numpy.int64)
    shelves = {shelf: place for place, shelf in enumerate(dict.fromkeys(row[6] for row in rows))}
    words = connection.execute(WORDS).fetchall()
    ends = numpy.cumsum([count for _, count in words]).tolist()
    posted = connection.execute(POSTINGS).fetchnumpy()
    after = dict(connection.execute(AFTER).fetchall())
    return Held(
        mark=mark_of(connection),
        docs=docs,
        told=[row[1:6] for row in rows],
        shelves=list(shelves),
        places=numpy.array([shelves[row[6]] for row in rows], numpy.int64),
        lengths=numpy.array([row[7] for row in rows], numpy.int64),
        slices={word: (end - count, end) for (word, count), end in zip(words, ends, strict=True)},
        rows=numpy.searchsorted(docs, posted["doc"]),
        times=posted["tf"],
        kinds=grouped((row[3], place) for place, row in enumerate(rows)),
        keys=grouped((key, place) for place, row in enumerate(rows) for key in row[8]),
        after=after,
        before={doc: one for one, doc in after.items()},
    )


def grouped(pairs: "Iterable[tuple[str, int]]") -> "dict[str, Numbers]":
    """The rows of each name."""
    import numpy

    found: dict[str, list[int]] = {}
    for name, row in pairs:
        found.setdefault(name, []).append(row)
    return {name: numpy.array(rows, numpy.int64) for name, rows in found.items()}
