"""Read what ``go vet -json`` says: an object for each package, and plain lines for what does not compile."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from openkoi_hookspecs import Finding, Severity

from .messages import found, place

OBJECT = re.compile(r"^\{\n.*?^\}$", re.MULTILINE | re.DOTALL)
PLACE = re.compile(r"(?P<path>.+?):(?P<line>\d+)(?::\d+)?$")
BROKEN = re.compile(r"^(?:vet: )?(?P<path>[^\s:{}\"]+\.go):(?P<line>\d+)(?::\d+)?: (?P<said>.+)$", re.MULTILINE)


def read_vet(text: str, root: Path) -> tuple[Finding, ...]:
    """What each analyser found, and what the compiler could not read."""
    analysed = [finding for match in OBJECT.finditer(text) for finding in decoded(match[0], root)]
    broken = [
        found(m["said"], Severity.BLOCKER, rule="go", where=place(m["path"], m["line"], root))
        for m in BROKEN.finditer(text)
    ]
    return (*analysed, *broken)


def decoded(text: str, root: Path) -> Iterator[Finding]:
    """The findings of the packages in an object."""
    try:
        for package in json.loads(text).values():
            yield from analysed(package, root)
    except (ValueError, KeyError, TypeError, AttributeError):
        return


def analysed(package: Mapping[str, list[dict[str, str]]], root: Path) -> Iterator[Finding]:
    """The findings of each analyser, which gives them their rule."""
    for analyser, said in package.items():
        for one in said:
            at = PLACE.match(one["posn"])
            if at:
                yield found(one["message"], rule=analyser, where=place(at["path"], at["line"], root))
