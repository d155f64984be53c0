"""Load all documents and their words from the tables at once, for a process that searches repeatedly."""

import json
from collections.abc import Sequence
from sqlite3 import Connection
from typing import TYPE_CHECKING

from .checksums import check_lines

if TYPE_CHECKING:
    from openkoi_search.bm25 import Numbers
    from openkoi_search.in_memory_documents import DocumentLine, InMemoryDocuments, WordPostings

IN_ORDER = "lead(doc) OVER (PARTITION BY run ORDER BY moment, length(id), id)"
DOCUMENTS = "SELECT doc, moment, id, kind, learned, memo, scope, length, keys FROM documents ORDER BY doc"
PLACES = "SELECT term, count(*), group_concat(doc) FROM places GROUP BY term"
AFTER = f"SELECT * FROM (SELECT doc, {IN_ORDER} AS next FROM documents WHERE run <> '') WHERE next IS NOT NULL"


def load_documents(connection: Connection) -> "InMemoryDocuments":
    """Read all documents; raise StoreError if one was changed."""
    import numpy

    from openkoi_search.in_memory_documents import build_documents

    check_lines(connection)
    lines = [make_line(row) for row in connection.execute(DOCUMENTS)]
    docs = numpy.array([line.doc for line in lines], numpy.int64)
    return build_documents(lines, count_postings(connection, docs), dict(connection.execute(AFTER).fetchall()))


def make_line(row: Sequence[object]) -> "DocumentLine":
    """Return a document in the form shared by all memories."""
    from openkoi_search.in_memory_documents import DocumentLine

    doc, moment, memo_id, kind, learned, memo, scope, length, keys = row
    names = json.loads(str(keys)) if keys != "[]" else ()
    texts = (str(moment), str(memo_id), str(kind))
    return DocumentLine(int(str(doc)), *texts, bool(learned), str(memo), str(scope), int(str(length)), names)


def count_postings(connection: Connection, docs: "Numbers") -> "WordPostings":
    """Return the words, and how often each document contains them."""
    import numpy

    from openkoi_search.in_memory_documents import WordPostings

    found, size = connection.execute(PLACES).fetchall(), max(len(docs), 1)
    rows = numpy.searchsorted(docs, numpy.fromstring(",".join(text for *_, text in found), numpy.int64, sep=","))
    words = numpy.repeat(numpy.arange(len(found)), [count for _, count, _ in found])
    pairs, times = numpy.unique(words * size + rows, return_counts=True)
    counts = numpy.bincount(pairs // size, minlength=len(found)).tolist()
    return WordPostings(
        [(word, count) for (word, *_), count in zip(found, counts, strict=True)], docs[pairs % size], times
    )
