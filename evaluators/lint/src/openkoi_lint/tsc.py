"""Parse the TypeScript compiler's output."""

import re
from pathlib import Path

from openkoi_hookspecs import Finding, Severity
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .messages import format_place, make_finding

LINE = lazy_pattern(r"^(?P<path>[^\s(][^(\n]*)\((?P<line>\d+),\d+\): error (?P<code>TS\d+): (?P<message>.*)$", re.M)
SYNTAX = range(1000, 2000)


def read_tsc(text: str, root: Path) -> tuple[Finding, ...]:
    """Return every error; a syntax error keeps tsc from checking the rest."""
    return tuple(
        make_finding(
            m["message"], severity_of(m["code"]), rule=m["code"], where=format_place(m["path"], m["line"], root)
        )
        for m in LINE.finditer(text)
    )


def severity_of(code: str) -> Severity:
    """Return blocker for syntax errors and important for type errors."""
    return Severity.BLOCKER if int(code[2:]) in SYNTAX else Severity.IMPORTANT
