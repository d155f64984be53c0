"""Parse mypy's output, without its notes."""

import re
from pathlib import Path

from openkoi_hookspecs import Finding, Severity
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .messages import format_place, make_finding

LINE = lazy_pattern(
    r"^(?P<path>[^:\n]+):(?P<line>\d+)(?::\d+)?: error: (?P<message>.*?)(?:  \[(?P<code>[\w-]+)\])?$", re.M
)


def read_mypy(text: str, root: Path) -> tuple[Finding, ...]:
    """Return every error; a syntax error keeps mypy from checking the rest."""
    return tuple(to_finding(match, root) for match in LINE.finditer(text))


def to_finding(match: re.Match[str], root: Path) -> Finding:
    """Return the error in a line."""
    code = match["code"] or "mypy"
    severity = Severity.BLOCKER if code == "syntax" else Severity.IMPORTANT
    return make_finding(match["message"], severity, rule=code, where=format_place(match["path"], match["line"], root))
