"""Convert linter messages to findings."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import KW_ONLY
from pathlib import Path
from typing import Any

from openkoi_hookspecs import Finding, Severity
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

LINES = lazy_pattern(r"\bline \d+")
COUNTS = lazy_pattern(r"(?<![\w.,:'\"`#/<\[-])\d+(?:\.\d+)?(?![\w'\"`/\]-]|[.:]\w)")


@dataclass(frozen=True, slots=True)
class LinterOutput:
    """The findings of one linter; a ``wide`` one analyzes the whole program, so a change affects other files.

    They are ``cut`` if it reported more than is read.
    """

    linter: str
    findings: tuple[Finding, ...] = ()
    _: KW_ONLY
    wide: bool = False
    cut: bool = False

    @property
    def broke(self) -> bool:
        """Whether the linter failed."""
        return any(not finding.where and finding.rule == self.linter for finding in self.findings)

    @property
    def sound(self) -> bool:
        """Whether the linter checked everything; a syntax or configuration error hides what follows."""
        return not self.cut and not any(f.severity is Severity.BLOCKER or not f.where for f in self.findings)


def make_finding(
    message: str, severity: Severity = Severity.IMPORTANT, *, rule: str, where: str, fix: str = ""
) -> Finding:
    """Return a finding whose title does not change when lines move and counts change; keep the original message as
    detail.
    """
    title, original = normalize_message(message), " ".join(message.split())
    return Finding(title, severity, rule=rule, where=where, detail="" if title == original else original, fix=fix)


def read_json_lines(text: str, start: str, find: Callable[[Any], Iterator[Finding]]) -> tuple[Finding, ...]:
    """Return the findings in the JSON lines that begin with ``start``; skip truncated and other lines."""
    found: list[Finding] = []
    for line in text.split("\n"):
        if line.startswith(start):
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                found.extend(find(json.loads(line)))
    return tuple(found)


def normalize_message(message: str) -> str:
    """Return a message without line numbers and counts."""
    return COUNTS.sub("…", LINES.sub("line …", " ".join(message.split())))


def format_place(path: str, line: int | str, root: Path) -> str:
    """Return ``path:line`` within the workspace, or an empty string for a file outside it."""
    base = root.resolve()
    file = (base / path).resolve()
    return f"{file.relative_to(base).as_posix()}:{line}" if file.is_relative_to(base) else ""
