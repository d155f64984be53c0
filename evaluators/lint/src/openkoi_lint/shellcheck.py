"""Parse shellcheck's JSON."""

import json
from collections.abc import Iterator
from pathlib import Path

from openkoi_hookspecs import Finding, Severity

from .messages import format_place, make_finding

GRAVE = {"error", "warning"}
UNREADABLE = range(1000, 2000)


def read_shellcheck(text: str, root: Path) -> tuple[Finding, ...]:
    """Return every comment."""
    return tuple(finding for line in text.split("\n") if line.startswith("[") for finding in parse_report(line, root))


def parse_report(line: str, root: Path) -> Iterator[Finding]:
    """Yield the comments in a report; nothing for a truncated one."""
    try:
        for comment in json.loads(line):
            where = format_place(comment["file"], comment["line"], root)
            yield make_finding(
                comment["message"],
                severity_of(comment["level"], comment["code"]),
                rule=f"SC{comment['code']}",
                where=where,
            )
    except (ValueError, KeyError, TypeError):
        return


def severity_of(level: str, code: int) -> Severity:
    """Return blocker for an unparsable script, important for a likely error, suggestion for style."""
    if level == "error" and code in UNREADABLE:
        return Severity.BLOCKER
    return Severity.IMPORTANT if level in GRAVE else Severity.SUGGESTION
