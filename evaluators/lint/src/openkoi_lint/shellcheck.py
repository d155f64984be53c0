"""Parse shellcheck's JSON."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from openkoi_hookspecs import Finding, Severity

from .messages import format_place, make_finding, read_json_lines

GRAVE = {"error", "warning"}
UNREADABLE = range(1000, 2000)


def read_shellcheck(text: str, root: Path) -> tuple[Finding, ...]:
    """Return every comment."""
    return read_json_lines(text, "[", partial(to_findings, root=root))


def to_findings(report: Any, root: Path) -> Iterator[Finding]:
    """Yield the comments in a report; nothing for a truncated one."""
    for comment in report:
        where = format_place(comment["file"], comment["line"], root)
        yield make_finding(
            comment["message"],
            severity_of(comment["level"], comment["code"]),
            rule=f"SC{comment['code']}",
            where=where,
        )


def severity_of(level: str, code: int) -> Severity:
    """Return blocker for an unparsable script, important for a likely error, suggestion for style."""
    if level == "error" and code in UNREADABLE:
        return Severity.BLOCKER
    return Severity.IMPORTANT if level in GRAVE else Severity.SUGGESTION
