"""Parse the output of ``cargo test``."""

import re
from collections.abc import Iterator
from pathlib import Path

from .locations import first
from .outcome import CaseResult
from .wording import fails, tail

LINE = re.compile(
    r"^test (?P<name>.+?)(?: - should panic| - compile(?: fail)?)? \.\.\. (?P<how>ok|FAILED|ignored)\b.*$", re.M
)
RUNNING = re.compile(r"^running \d+ tests?$", re.M)
STORY = re.compile(r"^---- (?P<name>.+?) stdout ----\n(?P<said>.*?)(?=^---- |^failures:$|\Z)", re.M | re.S)
PANIC = re.compile(r"panicked at (?P<where>[^\n]+?:\d+)(:\d+)?:\n(?P<reason>[^\n]*)")
ABORTED = re.compile(r"process didn't exit successfully: .*\((?P<reason>signal: .*)\)$", re.M)
EXAMPLE = re.compile(r"(?P<path>\S+\.\w+) - .*\(line (?P<line>\d+)\)(?: - .*)?")
BROKEN = re.compile(r"^error(?P<code>\[E\d+\])?: (?P<reason>.+)\n\s*--> (?P<where>\S+?:\d+)", re.M)


def read_cargo(text: str, root: Path) -> tuple[tuple[CaseResult, ...], tuple[str, ...]]:
    """Tests, the compiler's first error when there is one, and the tests that were ignored."""
    if not RUNNING.search(text) and not BROKEN.search(text):
        return (), ()
    lines = [match.groupdict() for match in LINE.finditer(between(text))]
    stories = {match["name"]: match["said"] for match in STORY.finditer(text)}
    tests = [ran(line, stories.get(line["name"], ""), root) for line in lines if line["how"] != "ignored"]
    ignored = tuple(test_name(line) for line in lines if line["how"] == "ignored")
    return (*tests, *broken(text, root), *find_abort(text)), ignored


def between(text: str) -> str:
    """Only what stands between ``running N tests`` and the failures: a test's own prints are shown after it."""
    return "\n".join(re.split(r"^(?:failures:|test result:)", part, flags=re.M)[0] for part in RUNNING.split(text)[1:])


def test_name(line: dict[str, str]) -> str:
    """Return the test's name, without the line of a documentation example."""
    return re.sub(r" \(line \d+\)", "", line["name"])


def ran(line: dict[str, str], said: str, root: Path) -> CaseResult:
    """The test, with the place and the words of its panic."""
    name = test_name(line)
    if line["how"] == "ok":
        return CaseResult(name, passed=True)
    panic = PANIC.search(said)
    reason = panic["reason"] if panic else said
    where = first(example(line["name"]) or said, root)
    return CaseResult(name, passed=False, title=fails(name, reason), where=where, detail=tail(said))


def example(name: str) -> str:
    """Where a documented example begins; a panic counts lines in the program that is made of it."""
    match = EXAMPLE.fullmatch(name)
    return f"{match['path']}:{match['line']}: " if match else ""


def broken(text: str, root: Path) -> Iterator[CaseResult]:
    """What does not compile, at its first error."""
    error = BROKEN.search(text)
    if error:
        detail = tail(text[error.start() :])
        yield CaseResult(
            "cargo test",
            passed=False,
            title=fails("cargo test", error["reason"]),
            where=first(error[0], root),
            detail=detail,
        )


def find_abort(text: str) -> Iterator[CaseResult]:
    """Yield a failure for a test program that died before all of its tests ended."""
    death = ABORTED.search(text)
    if death:
        title = fails("cargo test", death["reason"])
        yield CaseResult("cargo test", passed=False, title=title, detail=tail(text[: death.end()]))
