"""Whether what is held of the documents is still true, and reading all of it for who asks a second time.

A file whose size, time and log are as they were holds what it held: it need not be opened at all. Who asks once, as a
run does, never pays for the reading. Knows when; knows no statement.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING, Protocol

from openkoi_hookspecs import Query

from .fitting import FoundDocument
from .ranking import Documents, answer
from .stamps import Stamp, stamp_of

if TYPE_CHECKING:
    from .held import InMemoryDocuments
    from .nearness import Meant

MOST = 200_000
STILL = 100_000_000
Stamps = tuple[Stamp | None, Stamp | None]


class DocumentTables(Documents, Protocol):
    """Documents in tables, all of which can be read at once."""

    def count(self) -> int:
        """How many there are."""

    def all(self) -> "InMemoryDocuments":
        """All that a question may find."""


@dataclass(slots=True)
class Holding:
    """What is held, of which state of the file and its log; and the state that was last asked."""

    file: Path
    log: Path
    held: "tuple[Stamps, InMemoryDocuments] | None" = None
    asked: Stamps | None = None

    def now(self, meant: "Meant | None") -> "InMemoryDocuments | None":
        """What is held, if it is all that there is; None when the file has changed or the vectors are not at hand."""
        if self.held is None or self.held[0] != self.stamps:
            return None
        held = self.held[1]
        return held if meant is None or meant.vectors.known_as(held.mark) else None

    def answer(self, query: Query, words: list[str], meant: "Meant | None" = None) -> Sequence[FoundDocument] | None:
        """What is held answers; None when the file has to be asked."""
        held = self.now(meant)
        if held is None:
            return None
        from .held import Lost

        try:
            return answer(held, query, words, meant)
        except Lost:
            return None

    def source(self, stamps: Stamps, tables: DocumentTables) -> Documents:
        """The tables of a file that was opened after it had these stamps; who asks again has all of it read."""
        again = self.asked == stamps
        self.asked = stamps
        if not again or not still(stamps) or tables.count() > MOST:
            self.held = None
            return tables
        held = tables.all()
        self.held = (stamps, held)
        return tables if held.mark else held

    @property
    def stamps(self) -> Stamps:
        """What tells one state of the file from another: an empty log is none, because reading may make it."""
        log = stamp_of(self.log)
        return stamp_of(self.file), log if log and log[1] else None


def still(stamps: Stamps) -> bool:
    """Whether the last change was long enough ago for the next one to have another time."""
    return all(stamp is None or time_ns() - stamp[2] > STILL for stamp in stamps)
