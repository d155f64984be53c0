"""Read shellcheck's JSON. Knows its shape."""

import json
from collections.abc import Iterator
from pathlib import Path

from openkoi_hookspecs import Finding, Severity

from .messages import found, place

GRAVE = {"error", "warning"}
UNREADABLE = range(1000, 2000)


def read_shellcheck(text: str, root: Path) -> tuple[Finding, ...]:
    """Every comment."""
    return tuple(finding for line in text.split("\n") if line.startswith("[") for finding in decoded(line, root))


def decoded(line: str, root: Path) -> Iterator[Finding]:
    """The comments in a report; none in one that was cut."""
    try:
        for said in json.loads(line):
            where = place(said["file"], said["line"], root)
            yield found(said["message"], severity(said["level"], said["code"]), rule=f"SC{said['code']}", where=where)
    except (ValueError, KeyError, TypeError):
        return


def severity(level: str, code: int) -> Severity:
    """A script that cannot be read, one that is likely wrong, and matters of taste."""
    if level == "error" and code in UNREADABLE:
        return Severity.BLOCKER
    return Severity.IMPORTANT if level in GRAVE else Severity.SUGGESTION
