"""Read what ``go test -json`` prints. Knows its events and the plain lines of packages that do not build."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .locations import first
from .outcome import CaseResult
from .wording import fails, tail

NOT_BUILT = re.compile(r"^FAIL\s+(\S+)\s+\[(\w+) failed\]", re.MULTILINE)
NOISE = re.compile(r"\s*(=== |--- |FAIL\b|panic\.go)")


@dataclass(slots=True)
class GoTestOutput:
    """The output of a test or package so far."""

    package: str
    test: str
    action: str = ""
    said: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The test's name, with its package before it."""
        return f"{self.package}.{self.test}" if self.test else self.package


def read_go(text: str, root: Path) -> tuple[tuple[CaseResult, ...], tuple[str, ...]]:
    """Tests, packages that failed without one, and the tests that were skipped."""
    heard: dict[tuple[str, str], GoTestOutput] = {}
    for event in events(text):
        hear(event, heard)
    tests = [ran(one, root) for one in leaves(heard)]
    failed = {one.package for one in heard.values() if one.test and one.action == "fail"}
    packages = [one for one in heard.values() if not one.test and one.action == "fail" and one.package not in failed]
    tests += [ran(one, root) for one in packages if not any(b == one.package for b, _ in NOT_BUILT.findall(text))]
    tests += [not_built(package, text, root) for package, _ in NOT_BUILT.findall(text)]
    return tuple(tests), tuple(one.name for one in heard.values() if one.action == "skip" and one.test)


def events(text: str) -> Iterator[dict[str, str]]:
    """Yield the events in the text; skip other lines."""
    for line in text.split("\n"):
        if line.startswith("{"):
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event.get("Package"), str):
                yield event


def hear(event: dict[str, str], heard: dict[tuple[str, str], GoTestOutput]) -> None:
    """Take an event in. A test that was never begun was only printed by another."""
    key = event["Package"], event.get("Test", "")
    action = event.get("Action", "")
    if action in {"run", "start"} or not key[1]:
        heard.setdefault(key, GoTestOutput(*key))
    if key not in heard:
        return
    if action == "output":
        heard[key].said.append(event.get("Output", ""))
    elif action in {"pass", "fail", "skip"}:
        heard[key].action = action


def leaves(heard: dict[tuple[str, str], GoTestOutput]) -> list[GoTestOutput]:
    """The tests that ran: one that never ended failed, one that only failed by its parts is left out."""
    tests = [one for one in heard.values() if one.test and one.action != "skip"]
    parents = {(one.package, one.test.rpartition("/")[0]) for one in tests if one.action != "pass"}
    return [one for one in tests if one.action == "pass" or (one.package, one.test) not in parents]


def ran(one: GoTestOutput, root: Path) -> CaseResult:
    """The test, with the place and the words of its failure."""
    if one.action == "pass":
        return CaseResult(one.name, passed=True)
    said = "".join(line for line in one.said if not NOISE.match(line))
    where = first(add_folders(said, one.package, root), root)
    reason = re.sub(r"^\s*[\w./-]+\.go:\d+: ", "", said)
    return CaseResult(one.name, passed=False, title=fails(one.name, reason), where=where, detail=tail(said))


def add_folders(said: str, package: str, root: Path) -> str:
    """Return the text with folders before file names, which go omits."""
    folder = folder_of(package, root)
    return re.sub(r"^(\s*)([\w.-]+\.go:\d+)", rf"\1{folder}/\2", said, flags=re.MULTILINE) if folder else said


def folder_of(package: str, root: Path) -> str:
    """The package's folder in the workspace; empty for the outermost one."""
    parts = package.split("/")
    folders = ["/".join(parts[n:]) for n in range(len(parts))]
    return next((folder for folder in folders if (root / folder).is_dir()), "")


def not_built(package: str, text: str, root: Path) -> CaseResult:
    """A package that does not compile. When it has no tests it is not heard of again once it does."""
    named = rf"^# {re.escape(package)}\b.*\n((?:(?!#|\{{|FAIL).*\n)+)"
    said = next((match[1] for match in re.finditer(named, text, re.MULTILINE)), "")
    reason = re.sub(r"^\S+\.go:\d+(:\d+)?: ", "", said) or "it does not build"
    silent = not any((root / folder_of(package, root)).glob("*_test.go"))
    where = first(said, root)
    return CaseResult(
        package, passed=False, title=fails(package, reason), where=where, detail=tail(said), silent=silent
    )
