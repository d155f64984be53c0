"""Read a project's files, as far as they are readable."""

import tomllib
from pathlib import Path


def source(path: Path) -> str:
    """The text of a file; empty when there is none to read."""
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""


def toml(path: Path) -> dict[str, object]:
    """A TOML file's tables; none when it is missing or broken."""
    try:
        return tomllib.loads(source(path))
    except tomllib.TOMLDecodeError:
        return {}
