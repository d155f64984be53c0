"""Parse the JSON reports of vitest, jest and mocha."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from .locations import first_location, workspace_path
from .results import CaseResult, failed_case

SKIPPED = {"pending", "skipped", "todo", "disabled"}


class Assertion(TypedDict, total=False):
    """A test, as vitest and jest report it."""

    ancestorTitles: list[str]
    title: str
    status: str
    failureMessages: list[str]


class JsTestFile(TypedDict, total=False):
    """A test file, as vitest and jest report it."""

    name: str
    status: str
    message: str
    assertionResults: list[Assertion]


class Mocha(TypedDict, total=False):
    """A test, as mocha reports it."""

    title: str
    fullTitle: str
    file: str
    err: dict[str, str]


def read_js(text: str, root: Path) -> tuple[tuple[CaseResult, ...], tuple[str, ...]] | None:
    """Return the tests and the names of skipped ones, or None when it is not a report."""
    try:
        report = json.loads(text)
        if "testResults" in report:
            return read_files(report["testResults"], root)
        return read_mocha(report, root) if "stats" in report else None
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def read_files(files: Sequence[JsTestFile], root: Path) -> tuple[tuple[CaseResult, ...], tuple[str, ...]]:
    """Return the tests of all files, and the files that could not be read."""
    tests: list[CaseResult] = []
    skipped: list[str] = []
    for file in files:
        path = workspace_path(file["name"], root) or file["name"]
        every = file.get("assertionResults", [])
        skipped += [test_name(path, test) for test in every if test["status"] in SKIPPED]
        tests += [parse_case(test_name(path, test), test, root) for test in every if test["status"] not in SKIPPED]
        tests += file_failure(path, file, root)
    return tuple(tests), tuple(skipped)


def test_name(path: str, test: Assertion) -> str:
    """Return the test's name with its file and the titles around it."""
    return " > ".join((path, *test.get("ancestorTitles", []), test["title"]))


def parse_case(name: str, test: Assertion, root: Path) -> CaseResult:
    """Return a test, with the location and message of its failure."""
    if test["status"] == "passed":
        return CaseResult(name, passed=True)
    messages = "\n\n".join(test.get("failureMessages") or [])
    return make_failure(name, messages, root)


def file_failure(path: str, file: JsTestFile, root: Path) -> Iterator[CaseResult]:
    """Return the failure of a file without a failed test."""
    red = any(test["status"] == "failed" for test in file.get("assertionResults", []))
    if file.get("status") == "failed" and not red:
        yield make_failure(path, file.get("message", ""), root)


def read_mocha(report: Mapping[str, Sequence[Mocha]], root: Path) -> tuple[tuple[CaseResult, ...], tuple[str, ...]]:
    """Return mocha's tests, and the hooks that failed."""
    green = tuple(CaseResult(mocha_name(test, root), passed=True) for test in report["passes"])
    red = (make_failure(mocha_name(test, root), mocha_message(test), root) for test in report["failures"])
    return (*green, *red), tuple(mocha_name(test, root) for test in report["pending"])


def mocha_name(test: Mocha, root: Path) -> str:
    """Return the file and the full title."""
    path = test.get("file") or ""
    return " > ".join(filter(None, (workspace_path(path, root) or path, test["fullTitle"])))


def mocha_message(test: Mocha) -> str:
    """Return mocha's message of a failure."""
    err = test.get("err", {})
    return err.get("stack") or err.get("message") or ""


def make_failure(name: str, message: str, root: Path) -> CaseResult:
    """Return the failure, at the first line of the workspace in its trace."""
    where = first_location(message, root) or workspace_path(name.partition(" > ")[0], root)
    return failed_case(name, failure_reason(message), message, where)


def failure_reason(message: str) -> str:
    """Return the first line with what it announces, or the expected and actual values further down."""
    lines = [line.strip() for line in message.splitlines() if line.strip() and not line.strip().startswith("●")]
    more = lines[1:2] if lines and lines[0].endswith(":") else []
    values = [line for line in lines[1:] if line.startswith(("Expected:", "Received:"))][:2]
    return " ".join([*lines[:1], *more, *values])
