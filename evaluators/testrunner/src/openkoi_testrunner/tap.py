"""Read the Test Anything Protocol, as node:test, tape and ava print it. Knows nested tests and their YAML blocks."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

from .locations import first, own
from .outcome import CaseResult
from .wording import fails, last_words, tail

START = re.compile(r"^TAP version \d+$", re.M)
HEADER = re.compile(r"^(?P<indent> *)# Subtest: (?P<name>.*)$")
LINE = re.compile(r"^(?P<indent> *)(?P<bad>not )?ok \d+(?: -)?(?: (?P<name>.*?))?(?: # (?P<mark>(?i:skip|todo))\b.*)?$")
VALUE = re.compile(r"^ *(?P<key>error|location|failureType): (?P<quote>['\"]?)(?P<value>.*?)(?P=quote)$", re.M)
BLOCK = re.compile(r"^ *error: \|-?\n *(?P<value>.*)$", re.M)
NOT_READ = "test failed"


@dataclass(slots=True)
class Point:
    """One line of TAP, the names of the tests around it, what was printed before it, and the block below it."""

    path: tuple[str, ...]
    passed: bool
    mark: str
    parent: bool
    said: tuple[str, ...] = ()
    block: list[str] = field(default_factory=list)

    @property
    def values(self) -> dict[str, str]:
        """The block's values that matter."""
        text = "\n".join(self.block)
        values = {match["key"]: match["value"] for match in VALUE.finditer(text)}
        lines = BLOCK.search(text)
        return {**values, "error": lines["value"]} if lines else values


def read_tap(text: str, root: Path) -> tuple[tuple[CaseResult, ...], tuple[str, ...]]:
    """Tests by their full names, and those that were skipped."""
    start = START.search(text)
    if not start:
        return (), ()
    found = points(text[start.end() :].split("\n"))
    counted = [point for point in found if not point.mark and not by_its_parts(point)]
    skipped = tuple(full_name(point, root) for point in found if point.mark == "skip")
    return tuple(ran(point, root) for point in counted), skipped


def by_its_parts(point: Point) -> bool:
    """Whether it only sums up the tests inside it."""
    return point.parent and (point.passed or point.values.get("failureType") == "subtestsFailed")


def points(lines: list[str]) -> list[Point]:
    """Every test point, with its block."""
    reading = TapParser()
    for line in lines:
        reading.take(line)
    return reading.found


@dataclass(slots=True)
class TapParser:
    """The state of the parser: the names of open tests by indent, and whether a block is open."""

    found: list[Point] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    deepest: int = 0
    inside: bool = False

    def take(self, line: str) -> None:
        """Read one more line."""
        if self.inside:
            self.inside = line.strip() != "..."
            self.found[-1].block.extend([line] if self.inside and "duration_ms:" not in line else [])
        elif header := HEADER.match(line):
            depth = len(header["indent"])
            self.names = {**{n: name for n, name in self.names.items() if n < depth}, depth: header["name"]}
        elif match := LINE.match(line):
            self.found.append(self.point(match))
            self.said = []
        elif self.found and line.strip() == "---":
            self.inside = True
        else:
            self.said.append(line.removeprefix("# "))

    def point(self, match: re.Match[str]) -> Point:
        """The test point of a line."""
        depth = len(match["indent"])
        parent, self.deepest = self.deepest > depth, depth
        around = [name for n, name in sorted(self.names.items()) if n < depth]
        path = tuple(re.sub(r"\\([#\\])", r"\1", name) for name in (*around, match["name"] or "unnamed"))
        return Point(path, not match["bad"], (match["mark"] or "").lower(), parent, tuple(self.said))


def full_name(point: Point, root: Path) -> str:
    """The names of the test and of those around it; a file by its path in the workspace."""
    return " > ".join(own(part, root) or part for part in point.path)


def ran(point: Point, root: Path) -> CaseResult:
    """The test; a file that could not be read is named by its path in the workspace, with what node printed of it."""
    name = full_name(point, root)
    if point.passed:
        return CaseResult(name, passed=True)
    reason, text = point.values.get("error", ""), dedent("\n".join(point.block))
    if reason == NOT_READ:
        text = "\n".join(point.said)
        reason = last_words(text)
    where = first(text.partition("stack:")[2], root) or first(text, root)
    return CaseResult(name, passed=False, title=fails(name, reason), where=where, detail=tail(text))
