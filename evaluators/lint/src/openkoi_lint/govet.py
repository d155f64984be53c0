"""Parse ``go vet -json``: one object per package, and plain lines for compile errors."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from openkoi_hookspecs import Finding, Severity
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .messages import format_place, make_finding

OBJECT = lazy_pattern(r"^\{\n.*?^\}$", re.MULTILINE | re.DOTALL)
PLACE = lazy_pattern(r"(?P<path>.+?):(?P<line>\d+)(?::\d+)?$")
BROKEN = lazy_pattern(r"^(?:vet: )?(?P<path>[^\s:{}\"]+\.go):(?P<line>\d+)(?::\d+)?: (?P<message>.+)$", re.MULTILINE)


def read_vet(text: str, root: Path) -> tuple[Finding, ...]:
    """Return what each analyzer found, and compile errors."""
    analysed = [finding for match in OBJECT.finditer(text) for finding in parse_object(match[0], root)]
    broken = [
        make_finding(m["message"], Severity.BLOCKER, rule="go", where=format_place(m["path"], m["line"], root))
        for m in BROKEN.finditer(text)
    ]
    return (*analysed, *broken)


def parse_object(text: str, root: Path) -> Iterator[Finding]:
    """Yield the findings of the packages in an object."""
    try:
        for package in json.loads(text).values():
            yield from parse_package(package, root)
    except (ValueError, KeyError, TypeError, AttributeError):
        return


def parse_package(package: Mapping[str, list[dict[str, str]]], root: Path) -> Iterator[Finding]:
    """Yield the findings of each analyzer, which is their rule."""
    for analyser, diagnostics in package.items():
        for one in diagnostics:
            at = PLACE.match(one["posn"])
            if at:
                yield make_finding(one["message"], rule=analyser, where=format_place(at["path"], at["line"], root))
