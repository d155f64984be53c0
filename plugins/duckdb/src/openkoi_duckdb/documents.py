"""Write documents as rows of their table."""

from collections.abc import Iterable

from openkoi_hookspecs import Learning
from openkoi_search.documents import MemoryDocument

from .codec import to_json
from .rows import DocumentRow


def make_document_rows(documents: Iterable[MemoryDocument]) -> dict[DocumentRow, list[str]]:
    """Return each document's row, with the words it can be found by."""
    read = [(document, document.terms) for document in documents]
    return {make_document_row(document, words): words for document, words in read}


def make_document_row(document: MemoryDocument, words: list[str]) -> DocumentRow:
    """Write a document down."""
    memo = document.memo
    return DocumentRow(
        doc=document.number,
        id=memo.id,
        learned=isinstance(memo, Learning),
        kind=memo.kind,
        scope=document.scope,
        moment=document.moment,
        keys=document.keys,
        dl=len(words),
        memo=to_json(memo),
    )
