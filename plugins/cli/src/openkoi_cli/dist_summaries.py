"""Read the summaries of distributions from their metadata, without importing anything."""

import sys
from collections.abc import Container
from pathlib import Path

from openkoi_loader.registry import distribution_name, listing

FIELD = "Summary: "


def read_summaries(wanted: Container[str]) -> dict[str, str]:
    """Return the summaries of these distributions; the first one on the path counts."""
    found: dict[str, str] = {}
    for folder in sys.path:
        for entry in listing(folder or "."):
            name = distribution_name(entry)
            if name in wanted and name not in found:
                found[name] = read_summary(Path(folder, entry, "METADATA"))
    return found


def read_summary(file: Path) -> str:
    """Return the summary in a metadata file; empty without one."""
    try:
        with file.open(encoding="utf-8", errors="replace") as metadata:
            return next((line.removeprefix(FIELD).strip() for line in metadata if line.startswith(FIELD)), "")
    except OSError:
        return ""
