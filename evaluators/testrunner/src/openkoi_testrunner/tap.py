"""Parse the Test Anything Protocol of node:test, tape and ava, with nested tests and their YAML blocks."""

import re
from dataclasses import field
from pathlib import Path
from textwrap import dedent

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .locations import first_location, workspace_path
from .messages import error_line
from .results import CaseResult, failed_case

START = lazy_pattern(r"^TAP version \d+$", re.M)
HEADER = lazy_pattern(r"^(?P<indent> *)# Subtest: (?P<name>.*)$")
LINE = lazy_pattern(
    r"^(?P<indent> *)(?P<bad>not )?ok \d+(?: -)?(?: (?P<name>.*?))?(?: # (?P<mark>(?i:skip|todo))\b.*)?$"
)
VALUE = lazy_pattern(r"^ *(?P<key>error|location|failureType): (?P<quote>['\"]?)(?P<value>.*?)(?P=quote)$", re.M)
BLOCK = lazy_pattern(r"^ *error: \|-?\n *(?P<value>.*)$", re.M)
NOT_READ = "test failed"


@dataclass(slots=True)
class Point:
    """One line of TAP, the names of the tests around it, the output before it, and the block below it."""

    path: tuple[str, ...]
    passed: bool
    mark: str
    parent: bool
    output: tuple[str, ...] = ()
    block: list[str] = field(default_factory=list)

    @property
    def values(self) -> dict[str, str]:
        """The relevant values of the block."""
        text = "\n".join(self.block)
        values = {match["key"]: match["value"] for match in VALUE.finditer(text)}
        lines = BLOCK.search(text)
        return {**values, "error": lines["value"]} if lines else values


def read_tap(text: str, root: Path) -> tuple[tuple[CaseResult, ...], tuple[str, ...]]:
    """Return tests by their full names, and the skipped ones."""
    start = START.search(text)
    if not start:
        return (), ()
    found = parse_points(text[start.end() :].split("\n"))
    counted = [point for point in found if not point.mark and not is_summary(point)]
    skipped = tuple(full_name(point, root) for point in found if point.mark == "skip")
    return tuple(parse_case(point, root) for point in counted), skipped


def is_summary(point: Point) -> bool:
    """Return whether it only summarizes the tests inside it."""
    return point.parent and (point.passed or point.values.get("failureType") == "subtestsFailed")


def parse_points(lines: list[str]) -> list[Point]:
    """Yield every test point, with its block."""
    reading = TapParser()
    for line in lines:
        reading.read_line(line)
    return reading.found


@dataclass(slots=True)
class TapParser:
    """The state of the parser: the names of open tests by indent, and whether a block is open."""

    found: list[Point] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    output: list[str] = field(default_factory=list)
    deepest: int = 0
    inside: bool = False

    def read_line(self, line: str) -> None:
        """Read one more line."""
        if self.inside:
            self.inside = line.strip() != "..."
            self.found[-1].block.extend([line] if self.inside and "duration_ms:" not in line else [])
        elif header := HEADER.match(line):
            depth = len(header["indent"])
            self.names = {**{n: name for n, name in self.names.items() if n < depth}, depth: header["name"]}
        elif match := LINE.match(line):
            self.found.append(self.parse_point(match))
            self.output = []
        elif self.found and line.strip() == "---":
            self.inside = True
        else:
            self.output.append(line.removeprefix("# "))

    def parse_point(self, match: re.Match[str]) -> Point:
        """Return the test point of a line."""
        depth = len(match["indent"])
        parent, self.deepest = self.deepest > depth, depth
        around = [name for n, name in sorted(self.names.items()) if n < depth]
        path = tuple(re.sub(r"\\([#\\])", r"\1", name) for name in (*around, match["name"] or "unnamed"))
        return Point(path, not match["bad"], (match["mark"] or "").lower(), parent, tuple(self.output))


def full_name(point: Point, root: Path) -> str:
    """Return the names of the test and of those around it; a file by its path in the workspace."""
    return " > ".join(workspace_path(part, root) or part for part in point.path)


def parse_case(point: Point, root: Path) -> CaseResult:
    """Return the test; an unreadable file is named by its path in the workspace, with node's output about it."""
    name = full_name(point, root)
    if point.passed:
        return CaseResult(name, passed=True)
    reason, text = point.values.get("error", ""), dedent("\n".join(point.block))
    if reason == NOT_READ:
        text = "\n".join(point.output)
        reason = error_line(text)
    where = first_location(text.partition("stack:")[2], root) or first_location(text, root)
    return failed_case(name, reason, text, where)
