"""Import DuckDB's compiled module without the Python package around it.

The package takes five times as long to import and adds nothing that is used here; the classes are the same. Import this
module inside the functions that use it.
"""

try:
    import _duckdb as duckdb
except ImportError:  # a build that keeps it elsewhere
    import duckdb  # type: ignore[no-redef]  # it has the same names

__all__ = ["duckdb"]
