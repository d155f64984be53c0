"""What a linter said, in the words findings are told in. Knows no linter."""

import re
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from openkoi_hookspecs import Finding, Severity

LINES = re.compile(r"\bline \d+")
COUNTS = re.compile(r"(?<![\w.,:'\"`#/<\[-])\d+(?:\.\d+)?(?![\w'\"`/\]-]|[.:]\w)")


@dataclass(frozen=True, slots=True)
class Heard:
    """All that one linter found. A ``wide`` one reads the program as a whole: a change here breaks a file there."""

    linter: str
    findings: tuple[Finding, ...] = ()
    _: KW_ONLY
    wide: bool = False

    @property
    def broke(self) -> bool:
        """Whether it did not do its work at all."""
        return any(not finding.where and finding.rule == self.linter for finding in self.findings)

    @property
    def sound(self) -> bool:
        """Whether it saw everything: a syntax error or a broken configuration hides what comes after."""
        return not any(f.severity is Severity.BLOCKER or not f.where for f in self.findings)


def found(message: str, severity: Severity = Severity.IMPORTANT, *, rule: str, where: str, fix: str = "") -> Finding:
    """A finding whose title stays the same when lines move and counts change; its own words are kept beside it."""
    title, said = steady(message), " ".join(message.split())
    return Finding(title, severity, rule=rule, where=where, detail="" if title == said else said, fix=fix)


def steady(message: str) -> str:
    """A message without the line numbers and counts in it."""
    return COUNTS.sub("…", LINES.sub("line …", " ".join(message.split())))


def place(path: str, line: int | str, root: Path) -> str:
    """``path:line`` within the workspace; empty for a file outside it."""
    base = root.resolve()
    file = (base / path).resolve()
    return f"{file.relative_to(base).as_posix()}:{line}" if file.is_relative_to(base) else ""
