"""Cache all documents of a file in memory from the second query until the file changes.

A file whose size, time and write-ahead log are unchanged need not be opened at all. A process that asks once, as a run
does, never reads all documents.
"""

from collections.abc import Sequence
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING, Protocol

from openkoi_hookspecs import Query
from openkoi_hookspecs.lazy_dataclass import dataclass

from .file_version import FileVersion, file_version
from .hit_selection import FoundDocument
from .ranking import rank_documents
from .vector_store import DocumentsWithVectors

if TYPE_CHECKING:
    from .in_memory_documents import InMemoryDocuments
    from .vector_store import VectorQuery

MAX_CACHED_DOCUMENTS = 200_000
SETTLED_NANOSECONDS = 100_000_000  # coarser than file time stamps (estimate)
Stamps = tuple[FileVersion | None, FileVersion | None]


class DocumentTables(DocumentsWithVectors, Protocol):
    """Documents in tables, all of which can be read at once."""

    def count(self) -> int:
        """Return the number of documents."""

    def all(self) -> "InMemoryDocuments":
        """Return all documents, in memory."""


@dataclass(slots=True)
class DocumentCache:
    """The cached documents with the state of the file and its log when read; and the state last queried."""

    file: Path
    log: Path
    cached: "tuple[Stamps, InMemoryDocuments] | None" = None
    last_stamps: Stamps | None = None

    def current_documents(self, query: "VectorQuery | None") -> "InMemoryDocuments | None":
        """Return the cached documents; None if the file has changed or the vectors are not loaded."""
        if self.cached is None or self.cached[0] != self.stamps:
            return None
        documents = self.cached[1]
        return documents if query is None or query.vectors.is_current(documents.mark) else None

    def rank_documents(
        self, query: Query, words: list[str], meant: "VectorQuery | None" = None
    ) -> Sequence[FoundDocument] | None:
        """Answer from the cache; return None if the file must be read."""
        documents = self.current_documents(meant)
        if documents is None:
            return None
        from .in_memory_documents import VectorsOutdatedError

        try:
            return rank_documents(documents, query, words, meant)
        except VectorsOutdatedError:
            return None

    def choose_source(self, stamps: Stamps, tables: DocumentTables) -> DocumentsWithVectors:
        """Return the documents of a file in this state; the second query of a state caches all of them."""
        again = self.last_stamps == stamps
        self.last_stamps = stamps
        if not again or not is_settled(stamps) or tables.count() > MAX_CACHED_DOCUMENTS:
            self.cached = None
            return tables
        documents = tables.all()
        self.cached = (stamps, documents)
        return tables if documents.mark else documents

    @property
    def stamps(self) -> Stamps:
        """The state of the file and its log; an empty log counts as missing, because reading may create it."""
        log = file_version(self.log)
        return file_version(self.file), log if log and log[1] else None


def is_settled(stamps: Stamps) -> bool:
    """Return whether the last change is old enough that the next one will have another time stamp."""
    return all(stamp is None or time_ns() - stamp[2] > SETTLED_NANOSECONDS for stamp in stamps)
