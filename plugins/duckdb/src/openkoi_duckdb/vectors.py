"""Store the vectors of searchable documents in tables; the vector file is a copy.

The model, the dimension and a digest of the text are stored as well, so that a changed model or text is embedded again.
``vector_mark`` changes with every change.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING
from uuid import uuid4

from openkoi_hookspecs.lazy_dataclass import dataclass

from .sql import transaction

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from openkoi_search.bm25 import Numbers
    from openkoi_search.vector_file import VectorFile, Versions

TEXT = "json_extract_string(memo, '$.text')"
PENDING = f"""
SELECT doc, CASE WHEN learned THEN 'learning:' || documents.id ELSE documents.id END, {TEXT}
FROM documents LEFT JOIN embedded USING (doc)
WHERE model IS NULL OR model <> ? OR dimension <> coalesce(nullif(?, 0), dimension) OR digest <> md5({TEXT})
ORDER BY doc LIMIT ?
"""
LENGTH = "SELECT dimension FROM embedded WHERE model = ? GROUP BY dimension ORDER BY count(*) DESC LIMIT 1"
BARE = "SELECT count(*) FROM documents LEFT JOIN embedded USING (doc) WHERE model IS NULL OR model <> ?"
GONE = """
SELECT doc FROM embedded WHERE doc NOT IN (SELECT doc FROM documents) OR (model = ? AND dimension <> nullif(?, 0))
"""
FORGET = (
    "DELETE FROM memory_vec WHERE id IN (SELECT id FROM embedded WHERE doc IN (SELECT unnest(?::BIGINT[])))",
    "DELETE FROM embedded WHERE doc IN (SELECT unnest(?::BIGINT[]))",
)
KEEP = (
    "INSERT OR REPLACE INTO memory_vec SELECT unnest(?::VARCHAR[]), unnest(?::FLOAT[][])",
    "INSERT INTO embedded SELECT unnest(?::BIGINT[]), unnest(?::VARCHAR[]), ?, ?, md5(unnest(?::VARCHAR[]))",
)
VERSION = "md5_number_lower(digest || ' ' || scope)"
VERSIONS = f"SELECT doc, {VERSION} AS version FROM embedded JOIN documents USING (doc) WHERE model = ? ORDER BY doc"
ALL = f"""
SELECT doc, scope, embedding, {VERSION} AS version
FROM embedded JOIN documents USING (doc) JOIN memory_vec ON memory_vec.id = embedded.id WHERE model = ?
"""
SOME = " AND doc IN (SELECT unnest(?::BIGINT[]))"


@dataclass(frozen=True, slots=True)
class UnembeddedText:
    """A document that has no vector of the model yet."""

    doc: int
    id: str
    text: str


def list_unembedded(connection: "DuckDBPyConnection", model: str, length: int, most: int) -> list[UnembeddedText]:
    """Return the documents to embed, including those with a vector of another length; 0 accepts any length."""
    return [UnembeddedText(*row) for row in connection.execute(PENDING, [model, length, most]).fetchall()]


def read_length(connection: "DuckDBPyConnection", model: str) -> int:
    """Return the length of a model's vectors; 0 if there are none."""
    found = connection.execute(LENGTH, [model]).fetchone()
    return int(found[0]) if found else 0


def count_unembedded(connection: "DuckDBPyConnection", model: str) -> int:
    """Count the documents that have no vector of a model."""
    found: int = connection.execute(BARE, [model]).fetchall()[0][0]
    return found


def store_vectors(
    connection: "DuckDBPyConnection", model: str, bare: Sequence[UnembeddedText], vectors: Sequence[Sequence[float]]
) -> int:
    """Store vectors in place of older ones, and delete those of removed documents; return how many were stored."""
    length = len(vectors[0]) if bare else 0
    gone = [doc for (doc,) in connection.execute(GONE, [model, length]).fetchall()]
    if not bare and not gone:
        return 0
    with transaction(connection):
        for statement in FORGET:
            connection.execute(statement, [[*gone, *(one.doc for one in bare)]])
        if bare:
            ids = [one.id for one in bare]
            rows = [list(vector) for vector in vectors]
            connection.execute(KEEP[0], [ids, rows])
            connection.execute(KEEP[1], [[one.doc for one in bare], ids, model, length, [b.text for b in bare]])
        connection.execute("DELETE FROM vector_mark")
        connection.execute("INSERT INTO vector_mark VALUES (?)", [uuid4().hex])
    return len(bare)


def read_mark(connection: "DuckDBPyConnection") -> str:
    """Return the mark of the vectors' current state; empty if there are none."""
    found = connection.execute("FROM vector_mark").fetchone()
    return str(found[0]) if found else ""


def read_versions(connection: "DuckDBPyConnection", model: str) -> "tuple[Numbers, Versions]":
    """Return the documents with a vector of a model, in order, and a version that changes with the vector."""
    found = connection.execute(VERSIONS, [model]).fetchnumpy()
    return found["doc"], found["version"]


def load_vectors(
    connection: "DuckDBPyConnection", model: str, docs: Sequence[int] | None = None
) -> "VectorFile | None":
    """Return all vectors of a model, or those of some documents; None if there are none."""
    import numpy

    from openkoi_search.exact_search import VectorMatrix
    from openkoi_search.vector_file import VectorFile

    only, values = ("", [model]) if docs is None else (SOME, [model, docs])
    found = connection.execute(f"{ALL}{only} ORDER BY doc", values).fetchnumpy()
    if not len(found["doc"]):
        return None
    scopes, places = numpy.unique(numpy.asarray(found["scope"], str), return_inverse=True)
    matrix = numpy.array([numpy.asarray(row) for row in found["embedding"]], numpy.float32)
    standing = (found["doc"], scopes.tolist(), places.astype(numpy.int64))
    return VectorFile(read_mark(connection), model, *standing, VectorMatrix(matrix), found["version"])
