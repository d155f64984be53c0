"""Read what ruff says, one JSON object a line. Knows which of its rules find wrong code and which only style."""

import json
from collections.abc import Iterator
from pathlib import Path

from openkoi_hookspecs import Finding, Severity

from .messages import found, place

SYNTAX = {"invalid-syntax", "E999", "E902"}
WRONG = ("E9", "F", "B", "S", "PLE", "ASYNC")
STYLE = ("FA", "FBT", "FIX", "FLY", "FURB", "SIM", "SLF", "SLOT")


def read_ruff(text: str, root: Path) -> tuple[Finding, ...]:
    """Every violation in the text; what is not one is passed over."""
    return tuple(finding for line in text.split("\n") if line.startswith("{") for finding in decoded(line, root))


def decoded(line: str, root: Path) -> Iterator[Finding]:
    """The violation in a line; none in a line that was cut."""
    try:
        said = json.loads(line)
        code = said["code"] or "invalid-syntax"
        where = place(said["filename"], said["location"]["row"], root)
        fix = (said.get("fix") or {}).get("message") or ""
        yield found(said["message"], severity(code), rule=code, where=where, fix=fix)
    except (ValueError, KeyError, TypeError):
        return


def severity(code: str) -> Severity:
    """Code that cannot be read, code that is wrong, and matters of taste."""
    if code in SYNTAX:
        return Severity.BLOCKER
    wrong = code.startswith(WRONG) and not code.startswith(STYLE)
    return Severity.IMPORTANT if wrong else Severity.SUGGESTION
