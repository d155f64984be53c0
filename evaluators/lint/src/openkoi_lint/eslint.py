"""Parse eslint's JSON; severities are the project's own."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypedDict

from openkoi_hookspecs import Finding, Severity

from .messages import format_place, make_finding, read_json_lines

IGNORED = "File ignored "  # by the project's settings, although it was named


class EslintMessage(TypedDict, total=False):
    """A message of eslint about a line."""

    ruleId: str | None
    severity: int
    message: str
    line: int
    fatal: bool


def read_eslint(text: str, root: Path) -> tuple[Finding, ...]:
    """Return every message; skip the text around the report."""
    return read_json_lines(text, "[", partial(to_findings, root=root))


def to_findings(report: Any, root: Path) -> Iterator[Finding]:
    """Yield the messages in a report; nothing for a truncated one."""
    for file in report:
        for message in file["messages"]:
            if message["message"].startswith(IGNORED):
                continue
            where = format_place(file["filePath"], message.get("line", 1), root)
            yield make_finding(
                message["message"], severity_of(message), rule=message["ruleId"] or "eslint", where=where
            )


def severity_of(message: EslintMessage) -> Severity:
    """Return blocker for an unparsable file, else the configured severity."""
    if message.get("fatal"):
        return Severity.BLOCKER
    return Severity.IMPORTANT if message.get("severity") == 2 else Severity.SUGGESTION
