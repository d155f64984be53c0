"""Read what mypy says. Knows its lines; notes are left out."""

import re
from pathlib import Path

from openkoi_hookspecs import Finding, Severity

from .messages import found, place

LINE = re.compile(r"^(?P<path>[^:\n]+):(?P<line>\d+)(?::\d+)?: error: (?P<said>.*?)(?:  \[(?P<code>[\w-]+)\])?$", re.M)


def read_mypy(text: str, root: Path) -> tuple[Finding, ...]:
    """Every error; one of syntax keeps mypy from reading on."""
    return tuple(error(match, root) for match in LINE.finditer(text))


def error(match: re.Match[str], root: Path) -> Finding:
    """The error in a line."""
    code = match["code"] or "mypy"
    severity = Severity.BLOCKER if code == "syntax" else Severity.IMPORTANT
    return found(match["said"], severity, rule=code, where=place(match["path"], match["line"], root))
