"""Parse the JSON lines of clippy and the compiler."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from openkoi_hookspecs import Finding, Severity

from .messages import format_place, make_finding, read_json_lines

NIGHTLY = "E0554"  # a benchmark, most often: it needs another compiler than the one that is here


def read_clippy(text: str, root: Path) -> tuple[Finding, ...]:
    """Return every diagnostic with a location; skip cargo's other messages."""
    return read_json_lines(text, "{", partial(to_findings, root=root))


def to_findings(entry: Any, root: Path) -> Iterator[Finding]:
    """Yield the diagnostic of a line; nothing for a truncated line or one without a location."""
    message = entry["message"] if entry.get("reason") == "compiler-message" else {"spans": []}
    span = next((span for span in message["spans"] if span["is_primary"]), None)
    if span:
        rule = (message["code"] or {}).get("code") or "rustc"
        where = format_place(span["file_name"], span["line_start"], root)
        yield make_finding(message["message"], severity_of(message["level"], rule), rule=rule, where=where)


def severity_of(level: str, rule: str) -> Severity:
    """Return the severity: blocker for compile errors, important for certain errors, suggestion for advice."""
    if level != "error" or rule == NIGHTLY:
        return Severity.SUGGESTION
    return Severity.IMPORTANT if rule.startswith("clippy::") else Severity.BLOCKER
