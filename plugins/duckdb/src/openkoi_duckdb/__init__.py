"""OpenKoi's memory in DuckDB: a view of the run log that can be rebuilt."""
