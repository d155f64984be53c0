"""Read the configuration of tools from a project's files."""

from pathlib import Path

from openkoi_base.files.project_files import SKIPPED_FOLDERS, read_toml

LINT_SKIPPED = {*SKIPPED_FOLDERS, "testdata"}  # samples of Go's tests, which need not compile


def read_tool_tables(root: Path) -> dict[str, object]:
    """Return the tool tables of pyproject.toml; none if it is missing or invalid."""
    tables = read_toml(root / "pyproject.toml").get("tool")
    return tables if isinstance(tables, dict) else {}
