"""What distributions say of themselves in one line, read from their metadata: nothing is imported for it."""

import sys
from collections.abc import Container
from pathlib import Path

from openkoi_loader.registry import distribution_name, listing

FIELD = "Summary: "


def summaries(wanted: Container[str]) -> dict[str, str]:
    """The line of each of these distributions that has one; what comes first on the path hides the rest."""
    said: dict[str, str] = {}
    for folder in sys.path:
        for entry in listing(folder or "."):
            name = distribution_name(entry)
            if name in wanted and name not in said:
                said[name] = summary(Path(folder, entry, "METADATA"))
    return said


def summary(file: Path) -> str:
    """The summary in a metadata file; empty when it has none, or cannot be read."""
    try:
        with file.open(encoding="utf-8", errors="replace") as metadata:
            return next((line.removeprefix(FIELD).strip() for line in metadata if line.startswith(FIELD)), "")
    except OSError:
        return ""
