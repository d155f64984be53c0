"""Parse the usual line formats: ``path:line: ...``, ``path(line,column): ...``, and eslint's."""

import re
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

from openkoi_hookspecs import Finding, Severity
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .messages import format_place, make_finding

PLAIN = lazy_pattern(r"^(?P<path>(?:[A-Za-z]:)?[^\s:(][^:(\n]*):(?P<line>\d+)(?::\d+)?:?\s+(?P<message>\S.*)$")
BRACKETS = lazy_pattern(r"^(?P<path>[^\s(][^(\n]*)\((?P<line>\d+)(?:,\d+)?\): (?P<message>\S.*)$")
UNDER = lazy_pattern(r"^\s+(?P<line>\d+):\d+\s+(?P<message>(?:error|warning)\s.*)$")
MILD = lazy_pattern(r"^\W*(warn(ing)?|note|info|hint|style|convention)\b|\[warning\b", re.IGNORECASE)
MAX_PATH_CHARACTERS = 1000
COLOURS = lazy_pattern(r"\x1b\[[0-9;?]*[A-Za-z]")


def read_lines(text: str, root: Path) -> tuple[Finding, ...]:
    """Return a finding for every line that names a file of the workspace and a line in it."""
    return tuple(parse_lines(COLOURS.sub("", text), root))


def parse_lines(text: str, root: Path) -> Iterator[Finding]:
    """Yield the findings in order; eslint names the file once, above its messages."""
    above = ""
    names_file = cache(partial(is_file, root=root))
    for line in text.split("\n"):
        match = PLAIN.match(line) or BRACKETS.match(line) or (UNDER.match(line) if above else None)
        if match is None:
            above = line.strip() if names_file(line.strip()) else above
        elif names_file(path := match.groupdict().get("path") or above):
            yield to_finding(match["message"], format_place(path, match["line"], root))


def is_file(path: str, root: Path) -> bool:
    """Return whether a path names a file of the workspace."""
    try:
        return 0 < len(path) < MAX_PATH_CHARACTERS and bool(format_place(path, 1, root)) and (root / path).is_file()
    except (OSError, ValueError):
        return False


def to_finding(message: str, where: str) -> Finding:
    """Return the finding of a line, with the severity that the line states."""
    severity = Severity.SUGGESTION if MILD.search(message) else Severity.IMPORTANT
    return make_finding(message, severity, rule="lint", where=where)
