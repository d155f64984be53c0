"""Describe what can be found, and in which scope: a project's or global."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from openkoi_hookspecs import Learning, LearningStatus, MemoryItem
from openkoi_search.words import terms

from .codec import to_json
from .rows import DocumentRow

SHOWN = frozenset({LearningStatus.PROBATION, LearningStatus.ACTIVE})


@dataclass(frozen=True, slots=True)
class MemoryDocument:
    """A memo and where it stands. ``keys`` are the files, tools and names that it is about."""

    memo: MemoryItem
    shelf: str
    moment: str
    keys: tuple[str, ...] = ()

    @property
    def terms(self) -> list[str]:
        """The words it can be found by."""
        return terms(" ".join((self.memo.text, *self.keys)))


def number(learned: bool, id: str) -> int:
    """Return the number of a document: the same for the same id, on every machine."""
    return int.from_bytes(blake2b(f"{learned}:{id}".encode(), digest_size=7).digest(), "big")


def is_visible(learning: Learning) -> bool:
    """Return whether a learning may be found: it is trusted and not superseded."""
    return learning.status in SHOWN and not learning.superseded_by


def document_rows(documents: Iterable[MemoryDocument]) -> dict[DocumentRow, list[str]]:
    """Return each document's row, with the words it can be found by."""
    read = [(document, document.terms) for document in documents]
    return {document_row(document, words): words for document, words in read}


def document_row(document: MemoryDocument, words: list[str]) -> DocumentRow:
    """Write a document down."""
    memo = document.memo
    learned = isinstance(memo, Learning)
    return DocumentRow(
        doc=number(learned, memo.id),
        id=memo.id,
        learned=learned,
        kind=memo.kind,
        shelf=document.shelf,
        moment=document.moment,
        keys=document.keys,
        dl=len(words),
        memo=to_json(memo),
    )
