"""Parse ruff's JSON lines."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from openkoi_hookspecs import Finding, Severity

from .messages import format_place, make_finding, read_json_lines

SYNTAX = {"invalid-syntax", "E999", "E902"}
WRONG = ("E9", "F", "B", "S", "PLE", "ASYNC")
STYLE = ("FA", "FBT", "FIX", "FLY", "FURB", "SIM", "SLF", "SLOT")


def read_ruff(text: str, root: Path) -> tuple[Finding, ...]:
    """Return every violation in the text; skip other lines."""
    return read_json_lines(text, "{", partial(to_findings, root=root))


def to_findings(entry: Any, root: Path) -> Iterator[Finding]:
    """Yield the violation in a line; nothing for a truncated line."""
    code = entry["code"] or "invalid-syntax"
    where = format_place(entry["filename"], entry["location"]["row"], root)
    fix = (entry.get("fix") or {}).get("message") or ""
    yield make_finding(entry["message"], severity_of(code), rule=code, where=where, fix=fix)


def severity_of(code: str) -> Severity:
    """Return blocker for syntax errors, important for wrong code, suggestion for style."""
    if code in SYNTAX:
        return Severity.BLOCKER
    wrong = code.startswith(WRONG) and not code.startswith(STYLE)
    return Severity.IMPORTANT if wrong else Severity.SUGGESTION
