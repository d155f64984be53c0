"""What distributions say of themselves in one line, read from their metadata: nothing is imported for it."""

import sys
from collections.abc import Container, Iterator
from pathlib import Path

from openkoi.registry import distributions

FIELD = "Summary: "


def summaries(wanted: Container[str]) -> dict[str, str]:
    """The line of each of these distributions that has one."""
    return {name: line for name, line in told(wanted) if line}


def told(wanted: Container[str]) -> Iterator[tuple[str, str]]:
    for name, points in distributions(sys.path):
        if name in wanted:
            yield name, summary(Path(points).with_name("METADATA"))


def summary(file: Path) -> str:
    """The summary in a metadata file; empty when it has none, or cannot be read."""
    try:
        head = file.read_text(encoding="utf-8", errors="replace").partition("\n\n")[0]
    except OSError:
        return ""
    return next((line.removeprefix(FIELD).strip() for line in head.splitlines() if line.startswith(FIELD)), "")
