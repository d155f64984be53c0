"""The default location and embedder of memory."""

from pathlib import Path

DATABASE_FILE, INDEX_ENDING = "openkoi.db", "index"
LEXICAL, LEXICAL_DIMENSIONS, LEXICAL_WEIGHT = "lexical", 1024, 0.3  # weights compared in tests/benchmarks/recall.py
WITHOUT_EMBEDDER = "none; search uses words and parts of words"


def index_path(database: Path) -> Path:
    """Return the folder of the index, which is next to the database."""
    return database.with_name(f"{database.name}.{INDEX_ENDING}")
