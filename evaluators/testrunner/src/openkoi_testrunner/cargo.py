"""Parse the output of ``cargo test``."""

import re
from collections.abc import Iterator
from pathlib import Path

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .locations import first_location
from .results import CaseResult, failed_case

LINE = lazy_pattern(
    r"^test (?P<name>.+?)(?: - should panic| - compile(?: fail)?)? \.\.\. (?P<how>ok|FAILED|ignored)\b.*$", re.M
)
RUNNING = lazy_pattern(r"^running \d+ tests?$", re.M)
FAILURE_OUTPUT = lazy_pattern(r"^---- (?P<name>.+?) stdout ----\n(?P<output>.*?)(?=^---- |^failures:$|\Z)", re.M | re.S)
PANIC = lazy_pattern(r"panicked at (?P<where>[^\n]+?:\d+)(:\d+)?:\n(?P<reason>[^\n]*)")
ABORTED = lazy_pattern(r"process didn't exit successfully: .*\((?P<reason>signal: .*)\)$", re.M)
EXAMPLE = lazy_pattern(r"(?P<path>\S+\.\w+) - .*\(line (?P<line>\d+)\)(?: - .*)?")
COMPILER_ERROR = lazy_pattern(r"^error(?P<code>\[E\d+\])?: (?P<reason>.+)\n\s*--> (?P<where>\S+?:\d+)", re.M)


def read_cargo(text: str, root: Path) -> tuple[tuple[CaseResult, ...], tuple[str, ...]]:
    """Return the tests, the compiler's first error if there is one, and the ignored tests."""
    if not RUNNING.search(text) and not COMPILER_ERROR.search(text):
        return (), ()
    lines = [match.groupdict() for match in LINE.finditer(test_section(text))]
    stories = {match["name"]: match["output"] for match in FAILURE_OUTPUT.finditer(text)}
    tests = [parse_case(line, stories.get(line["name"], ""), root) for line in lines if line["how"] != "ignored"]
    ignored = tuple(test_name(line) for line in lines if line["how"] == "ignored")
    return (*tests, *find_compiler_error(text, root), *find_abort(text)), ignored


def test_section(text: str) -> str:
    """Return only the text between ``running N tests`` and the failures, which repeat each test's output."""
    return "\n".join(re.split(r"^(?:failures:|test result:)", part, flags=re.M)[0] for part in RUNNING.split(text)[1:])


def test_name(line: dict[str, str]) -> str:
    """Return the test's name, without the line of a documentation example."""
    return re.sub(r" \(line \d+\)", "", line["name"])


def parse_case(line: dict[str, str], output: str, root: Path) -> CaseResult:
    """Return a test, with the location and message of its panic."""
    name = test_name(line)
    if line["how"] == "ok":
        return CaseResult(name, passed=True)
    panic = PANIC.search(output)
    reason = panic["reason"] if panic else output
    where = first_location(example_location(line["name"]) or output, root)
    return failed_case(name, reason, output, where)


def example_location(name: str) -> str:
    """Return where a documented example starts; a panic counts lines in the program made from it."""
    match = EXAMPLE.fullmatch(name)
    return f"{match['path']}:{match['line']}: " if match else ""


def find_compiler_error(text: str, root: Path) -> Iterator[CaseResult]:
    """Return the first compiler error."""
    error = COMPILER_ERROR.search(text)
    if error:
        yield failed_case("cargo test", error["reason"], text[error.start() :], first_location(error[0], root))


def find_abort(text: str) -> Iterator[CaseResult]:
    """Yield a failure for a test program that died before all of its tests ended."""
    death = ABORTED.search(text)
    if death:
        yield failed_case("cargo test", death["reason"], text[: death.end()], "")
