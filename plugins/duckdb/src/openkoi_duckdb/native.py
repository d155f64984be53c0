"""Import DuckDB's compiled module without the Python package around it.

That takes five times as long to import, for nothing that is used here. Its classes are the same. Import it where it is
used.
"""

try:
    import _duckdb as duckdb
except ImportError:  # a build that keeps it elsewhere
    import duckdb  # type: ignore[no-redef]  # it has the same names

__all__ = ["duckdb"]
