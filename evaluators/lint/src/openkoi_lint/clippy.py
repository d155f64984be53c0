"""Parse the JSON lines of clippy and the compiler."""

import json
from collections.abc import Iterator
from pathlib import Path

from openkoi_hookspecs import Finding, Severity

from .messages import format_place, make_finding

NIGHTLY = "E0554"  # a benchmark, most often: it needs another compiler than the one that is here


def read_clippy(text: str, root: Path) -> tuple[Finding, ...]:
    """Return every diagnostic with a location; skip cargo's other messages."""
    return tuple(finding for line in text.split("\n") if line.startswith("{") for finding in parse_line(line, root))


def parse_line(line: str, root: Path) -> Iterator[Finding]:
    """Yield the diagnostic of a line; nothing for a truncated line or one without a location."""
    try:
        entry = json.loads(line)
        message = entry["message"] if entry.get("reason") == "compiler-message" else {"spans": []}
        span = next((span for span in message["spans"] if span["is_primary"]), None)
        if span:
            rule = (message["code"] or {}).get("code") or "rustc"
            where = format_place(span["file_name"], span["line_start"], root)
            yield make_finding(message["message"], severity_of(message["level"], rule), rule=rule, where=where)
    except (ValueError, KeyError, TypeError, AttributeError):
        return


def severity_of(level: str, rule: str) -> Severity:
    """Return the severity: blocker for compile errors, important for certain errors, suggestion for advice."""
    if level != "error" or rule == NIGHTLY:
        return Severity.SUGGESTION
    return Severity.IMPORTANT if rule.startswith("clippy::") else Severity.BLOCKER
