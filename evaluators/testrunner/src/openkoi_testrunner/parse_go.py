"""Parse the output of ``go test -json``, and the plain lines of packages that do not build."""

import json
import re
from collections.abc import Iterator
from dataclasses import field
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .locations import first_location
from .results import CaseResult, failed_case

NOT_BUILT = lazy_pattern(r"^FAIL\s+(\S+)\s+\[(\w+) failed\]", re.MULTILINE)
NOISE = lazy_pattern(r"\s*(=== |--- |FAIL\b|panic\.go)")


@dataclass(slots=True)
class GoTestOutput:
    """The output of a test or package so far."""

    package: str
    test: str
    action: str = ""
    output: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The test's name, after its package."""
        return f"{self.package}.{self.test}" if self.test else self.package


def read_go(text: str, root: Path) -> tuple[tuple[CaseResult, ...], tuple[str, ...]]:
    """Return the tests, packages that failed without one, and the skipped tests."""
    heard: dict[tuple[str, str], GoTestOutput] = {}
    for event in parse_events(text):
        apply_event(event, heard)
    tests = [parse_case(one, root) for one in finished_tests(heard)]
    failed = {one.package for one in heard.values() if one.test and one.action == "fail"}
    packages = [one for one in heard.values() if not one.test and one.action == "fail" and one.package not in failed]
    tests += [
        parse_case(one, root) for one in packages if not any(b == one.package for b, _ in NOT_BUILT.findall(text))
    ]
    tests += [find_build_failure(package, text, root) for package, _ in NOT_BUILT.findall(text)]
    return tuple(tests), tuple(one.name for one in heard.values() if one.action == "skip" and one.test)


def parse_events(text: str) -> Iterator[dict[str, str]]:
    """Yield the events in the text; skip other lines."""
    for line in text.split("\n"):
        if line.startswith("{"):
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event.get("Package"), str):
                yield event


def apply_event(event: dict[str, str], heard: dict[tuple[str, str], GoTestOutput]) -> None:
    """Apply an event; ignore a test that never started, because another test printed it."""
    key = event["Package"], event.get("Test", "")
    action = event.get("Action", "")
    if action in {"run", "start"} or not key[1]:
        heard.setdefault(key, GoTestOutput(*key))
    if key not in heard:
        return
    if action == "output":
        heard[key].output.append(event.get("Output", ""))
    elif action in {"pass", "fail", "skip"}:
        heard[key].action = action


def finished_tests(heard: dict[tuple[str, str], GoTestOutput]) -> list[GoTestOutput]:
    """Return the tests that ran: one that never ended failed; one whose subtests alone failed is omitted."""
    tests = [one for one in heard.values() if one.test and one.action != "skip"]
    parents = {(one.package, one.test.rpartition("/")[0]) for one in tests if one.action != "pass"}
    return [one for one in tests if one.action == "pass" or (one.package, one.test) not in parents]


def parse_case(one: GoTestOutput, root: Path) -> CaseResult:
    """Return a test, with the location and message of its failure."""
    if one.action == "pass":
        return CaseResult(one.name, passed=True)
    output = "".join(line for line in one.output if not NOISE.match(line))
    where = first_location(add_folders(output, one.package, root), root)
    reason = re.sub(r"^\s*[\w./-]+\.go:\d+: ", "", output)
    return failed_case(one.name, reason, output, where)


def add_folders(output: str, package: str, root: Path) -> str:
    """Return the text with folders before file names, which go omits."""
    folder = folder_of(package, root)
    return re.sub(r"^(\s*)([\w.-]+\.go:\d+)", rf"\1{folder}/\2", output, flags=re.MULTILINE) if folder else output


def folder_of(package: str, root: Path) -> str:
    """Return the package's folder in the workspace; empty if it is the top one."""
    parts = package.split("/")
    folders = ["/".join(parts[n:]) for n in range(len(parts))]
    return next((folder for folder in folders if (root / folder).is_dir()), "")


def find_build_failure(package: str, text: str, root: Path) -> CaseResult:
    """Return the failure of a package that does not compile. Once it compiles, one without tests is not reported."""
    named = rf"^# {re.escape(package)}\b.*\n((?:(?!#|\{{|FAIL).*\n)+)"
    output = next((match[1] for match in re.finditer(named, text, re.MULTILINE)), "")
    reason = re.sub(r"^\S+\.go:\d+(:\d+)?: ", "", output) or "it does not build"
    silent = not any((root / folder_of(package, root)).glob("*_test.go"))
    return failed_case(package, reason, output, first_location(output, root), silent=silent)
