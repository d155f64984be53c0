"""Read what clippy, and the compiler in it, say, one JSON object a line. Knows their shape."""

import json
from collections.abc import Iterator
from pathlib import Path

from openkoi_hookspecs import Finding, Severity

from .messages import found, place

NIGHTLY = "E0554"  # a benchmark, most often: it needs another compiler than the one that is here


def read_clippy(text: str, root: Path) -> tuple[Finding, ...]:
    """Every diagnosis with a place; cargo's other messages are passed over."""
    return tuple(finding for line in text.split("\n") if line.startswith("{") for finding in decoded(line, root))


def decoded(line: str, root: Path) -> Iterator[Finding]:
    """The diagnosis in a line; none in a line that was cut, or that has no place."""
    try:
        said = json.loads(line)
        message = said["message"] if said.get("reason") == "compiler-message" else {"spans": []}
        span = next((span for span in message["spans"] if span["is_primary"]), None)
        if span:
            rule = (message["code"] or {}).get("code") or "rustc"
            where = place(span["file_name"], span["line_start"], root)
            yield found(message["message"], severity(message["level"], rule), rule=rule, where=where)
    except (ValueError, KeyError, TypeError, AttributeError):
        return


def severity(level: str, rule: str) -> Severity:
    """What does not compile or is surely wrong, and advice."""
    if level != "error" or rule == NIGHTLY:
        return Severity.SUGGESTION
    return Severity.IMPORTANT if rule.startswith("clippy::") else Severity.BLOCKER
