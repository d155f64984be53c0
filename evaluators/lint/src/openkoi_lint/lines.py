"""Read the lines that most linters print: ``path:line: …``, ``path(line,column): …``, and eslint's. Knows no linter."""

import re
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

from openkoi_hookspecs import Finding, Severity

from .messages import found, place

PLAIN = re.compile(r"^(?P<path>(?:[A-Za-z]:)?[^\s:(][^:(\n]*):(?P<line>\d+)(?::\d+)?:?\s+(?P<said>\S.*)$")
BRACKETS = re.compile(r"^(?P<path>[^\s(][^(\n]*)\((?P<line>\d+)(?:,\d+)?\): (?P<said>\S.*)$")
UNDER = re.compile(r"^\s+(?P<line>\d+):\d+\s+(?P<said>(?:error|warning)\s.*)$")
MILD = re.compile(r"^\W*(warn(ing)?|note|info|hint|style|convention)\b|\[warning\b", re.IGNORECASE)
LONGEST = 1000
COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def read_lines(text: str, root: Path) -> tuple[Finding, ...]:
    """Every line that names a file of the workspace and a line in it."""
    return tuple(in_lines(COLOURS.sub("", text), root))


def in_lines(text: str, root: Path) -> Iterator[Finding]:
    """The findings in their order; eslint names the file once, above them."""
    above = ""
    names_file = cache(partial(is_file, root=root))
    for line in text.split("\n"):
        match = PLAIN.match(line) or BRACKETS.match(line) or (UNDER.match(line) if above else None)
        if match is None:
            above = line.strip() if names_file(line.strip()) else above
        elif names_file(path := match.groupdict().get("path") or above):
            yield finding(match["said"], place(path, match["line"], root))


def is_file(path: str, root: Path) -> bool:
    """Whether this names a file of the workspace."""
    try:
        return 0 < len(path) < LONGEST and bool(place(path, 1, root)) and (root / path).is_file()
    except (OSError, ValueError):
        return False


def finding(said: str, where: str) -> Finding:
    """The finding of a line, as grave as the line says."""
    severity = Severity.SUGGESTION if MILD.search(said) else Severity.IMPORTANT
    return found(said, severity, rule="lint", where=where)
