"""Parse the JSON reports of vitest, jest and mocha."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from .locations import first, own
from .outcome import CaseResult
from .wording import fails, tail

SKIPPED = {"pending", "skipped", "todo", "disabled"}


class Assertion(TypedDict, total=False):
    """A test, as vitest and jest tell of it."""

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
    """A test, as mocha tells of it."""

    title: str
    fullTitle: str
    file: str
    err: dict[str, str]


def read_js(text: str, root: Path) -> tuple[tuple[CaseResult, ...], tuple[str, ...]] | None:
    """Return the tests and the names of skipped ones, or None when it is not a report."""
    try:
        said = json.loads(text)
        if "testResults" in said:
            return by_files(said["testResults"], root)
        return by_mocha(said, root) if "stats" in said else None
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def by_files(told: Sequence[JsTestFile], root: Path) -> tuple[tuple[CaseResult, ...], tuple[str, ...]]:
    """The tests of every file, and the files that could not be read."""
    tests: list[CaseResult] = []
    skipped: list[str] = []
    for file in told:
        path = own(file["name"], root) or file["name"]
        every = file.get("assertionResults", [])
        skipped += [test_name(path, test) for test in every if test["status"] in SKIPPED]
        tests += [ran(test_name(path, test), test, root) for test in every if test["status"] not in SKIPPED]
        tests += unread(path, file, root)
    return tuple(tests), tuple(skipped)


def test_name(path: str, test: Assertion) -> str:
    """Return the test's name with its file and the titles around it."""
    return " > ".join((path, *test.get("ancestorTitles", []), test["title"]))


def ran(name: str, test: Assertion, root: Path) -> CaseResult:
    """The test, with the place and the words of its failure."""
    if test["status"] == "passed":
        return CaseResult(name, passed=True)
    said = "\n\n".join(test.get("failureMessages") or [])
    return make_failure(name, said, root)


def unread(path: str, file: JsTestFile, root: Path) -> Iterator[CaseResult]:
    """A file that failed without a test that did."""
    red = any(test["status"] == "failed" for test in file.get("assertionResults", []))
    if file.get("status") == "failed" and not red:
        yield make_failure(path, file.get("message", ""), root)


def by_mocha(said: Mapping[str, Sequence[Mocha]], root: Path) -> tuple[tuple[CaseResult, ...], tuple[str, ...]]:
    """The tests that mocha tells of, and the hooks that failed."""
    green = tuple(CaseResult(in_mocha(test, root), passed=True) for test in said["passes"])
    red = (make_failure(in_mocha(test, root), stack(test), root) for test in said["failures"])
    return (*green, *red), tuple(in_mocha(test, root) for test in said["pending"])


def in_mocha(test: Mocha, root: Path) -> str:
    """The file and the full title."""
    path = test.get("file") or ""
    return " > ".join(filter(None, (own(path, root) or path, test["fullTitle"])))


def stack(test: Mocha) -> str:
    """What mocha tells of a failure."""
    err = test.get("err", {})
    return err.get("stack") or err.get("message") or ""


def make_failure(name: str, said: str, root: Path) -> CaseResult:
    """Return the failure, at the first line of the workspace in its trace."""
    where = first(said, root) or own(name.partition(" > ")[0], root)
    return CaseResult(name, passed=False, title=fails(name, reason(said)), where=where, detail=tail(said))


def reason(said: str) -> str:
    """The first line, with what it announces, or what was expected and what came instead further down."""
    lines = [line.strip() for line in said.splitlines() if line.strip() and not line.strip().startswith("●")]
    more = lines[1:2] if lines and lines[0].endswith(":") else []
    values = [line for line in lines[1:] if line.startswith(("Expected:", "Received:"))][:2]
    return " ".join([*lines[:1], *more, *values])
