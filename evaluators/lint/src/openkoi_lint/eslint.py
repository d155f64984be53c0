"""Read eslint's JSON. Knows its shape; rules are as grave as the project has them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

from openkoi_hookspecs import Finding, Severity

from .messages import found, place


class Message(TypedDict, total=False):
    """What eslint says of a line."""

    ruleId: str | None
    severity: int
    message: str
    line: int
    fatal: bool


def read_eslint(text: str, root: Path) -> tuple[Finding, ...]:
    """Every message; what is printed around the report is passed over."""
    return tuple(finding for line in text.split("\n") if line.startswith("[") for finding in decoded(line, root))


def decoded(line: str, root: Path) -> Iterator[Finding]:
    """The messages in a report; none in one that was cut."""
    try:
        for file in json.loads(line):
            for message in file["messages"]:
                where = place(file["filePath"], message.get("line", 1), root)
                yield found(message["message"], severity(message), rule=message["ruleId"] or "eslint", where=where)
    except (ValueError, KeyError, TypeError):
        return


def severity(message: Message) -> Severity:
    """A file that cannot be read blocks; a rule is an error or a warning as it is configured."""
    if message.get("fatal"):
        return Severity.BLOCKER
    return Severity.IMPORTANT if message.get("severity") == 2 else Severity.SUGGESTION
