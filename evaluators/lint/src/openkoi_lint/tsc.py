"""Read what TypeScript's compiler says. Knows its lines."""

import re
from pathlib import Path

from openkoi_hookspecs import Finding, Severity

from .messages import found, place

LINE = re.compile(r"^(?P<path>[^\s(][^(\n]*)\((?P<line>\d+),\d+\): error (?P<code>TS\d+): (?P<said>.*)$", re.M)
SYNTAX = range(1000, 2000)


def read_tsc(text: str, root: Path) -> tuple[Finding, ...]:
    """Every error; one of syntax keeps it from reading on."""
    return tuple(
        found(m["said"], severity(m["code"]), rule=m["code"], where=place(m["path"], m["line"], root))
        for m in LINE.finditer(text)
    )


def severity(code: str) -> Severity:
    """Code that cannot be read, and types that do not fit."""
    return Severity.BLOCKER if int(code[2:]) in SYNTAX else Severity.IMPORTANT
