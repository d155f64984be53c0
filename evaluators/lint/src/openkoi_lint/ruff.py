"""Parse ruff's JSON lines."""

import json
from collections.abc import Iterator
from pathlib import Path

from openkoi_hookspecs import Finding, Severity

from .messages import format_place, make_finding

SYNTAX = {"invalid-syntax", "E999", "E902"}
WRONG = ("E9", "F", "B", "S", "PLE", "ASYNC")
STYLE = ("FA", "FBT", "FIX", "FLY", "FURB", "SIM", "SLF", "SLOT")


def read_ruff(text: str, root: Path) -> tuple[Finding, ...]:
    """Return every violation in the text; skip other lines."""
    return tuple(finding for line in text.split("\n") if line.startswith("{") for finding in parse_line(line, root))


def parse_line(line: str, root: Path) -> Iterator[Finding]:
    """Yield the violation in a line; nothing for a truncated line."""
    try:
        entry = json.loads(line)
        code = entry["code"] or "invalid-syntax"
        where = format_place(entry["filename"], entry["location"]["row"], root)
        fix = (entry.get("fix") or {}).get("message") or ""
        yield make_finding(entry["message"], severity_of(code), rule=code, where=where, fix=fix)
    except (ValueError, KeyError, TypeError):
        return


def severity_of(code: str) -> Severity:
    """Return blocker for syntax errors, important for wrong code, suggestion for style."""
    if code in SYNTAX:
        return Severity.BLOCKER
    wrong = code.startswith(WRONG) and not code.startswith(STYLE)
    return Severity.IMPORTANT if wrong else Severity.SUGGESTION
