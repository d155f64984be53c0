"""Read a project's files, as far as they are readable."""

import tomllib
from pathlib import Path


def read_source(path: Path) -> str:
    """Return the text of a file; empty if it is unreadable."""
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""


def read_toml(path: Path) -> dict[str, object]:
    """Return a TOML file's tables; none if it is missing or invalid."""
    try:
        return tomllib.loads(read_source(path))
    except tomllib.TOMLDecodeError:
        return {}
