"""Run a project's tests in the project's own interpreter, and report each as a line of JSON.

This module is sent as text and never imported there: it uses the standard library alone, supports Python 3.8, and runs
without the workspace on the path, whose files may have names like those of modules it needs. Its instructions arrive as
JSON on standard input.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import sys
import tempfile
import traceback
from collections.abc import Iterator
from importlib import machinery
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest import TestCase, TestLoader, TestResult, TestSuite

MAX_TEXT_CHARACTERS = 8000
NOT_LOADED = "unittest.loader._FailedTest."


class InstalledLoader(machinery.SourceFileLoader):
    """Load an installed module as Python does: from its compiled file."""

    def get_code(self, fullname: str) -> Any:
        moved, sys.pycache_prefix = sys.pycache_prefix, None
        try:
            return super().get_code(fullname)
        finally:
            sys.pycache_prefix = moved


class ResultWriter:
    """An output that capturing does not close: a copy of standard output, with each line marked."""

    def __init__(self, mark: str) -> None:
        self.mark = mark
        self.out = os.dup(1)
        self.sent = 0

    def say(self, kind: str, **facts: object) -> None:
        line = f"\n{self.mark}{json.dumps({'kind': kind, **facts})}\n".encode()
        while line:
            line = line[os.write(self.out, line) :]

    def test(self, name: str, outcome: str, text: str = "", reason: str = "", place: str = "") -> None:
        self.sent += 1
        if text:
            self.say(
                "test",
                id=name,
                outcome=outcome,
                text=text[-MAX_TEXT_CHARACTERS:],
                reason=reason[:MAX_TEXT_CHARACTERS],
                place=place,
            )
        else:
            self.say("test", id=name, outcome=outcome)


class Reporter:
    """A pytest plugin that reports each test as it starts and ends."""

    def __init__(self, tell: ResultWriter, only: list[str], scratch: Path) -> None:
        self.tell = tell
        self.only = frozenset(only)
        self.scratch = scratch

    def pytest_configure(self, config: Any) -> None:  # pytest is the project's, of any version
        if getattr(config.option, "xmlpath", None):
            config.option.xmlpath = str(self.scratch / "report.xml")

    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        if self.only:
            config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in self.only])
            items[:] = [item for item in items if item.nodeid in self.only]

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.report_failure(report, report.nodeid or ".")

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.tell.say("start", id=nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.report_failure(report, report.nodeid)
        elif report.skipped or (report.when == "call" and report.passed):
            self.tell.test(report.nodeid, report.outcome)

    def report_failure(self, report: Any, name: str) -> None:
        crash = getattr(report.longrepr, "reprcrash", None)
        file, line = (getattr(report, "location", None) or ("", None))[:2]
        place = f"{file}:{line + 1}" if isinstance(line, int) else ""
        self.tell.test(name, "failed", str(report.longrepr) or "failed", getattr(crash, "message", "") or "", place)


class Results(TestResult):
    """A unittest result that reports each test as it starts and ends."""

    def __init__(self, tell: ResultWriter) -> None:
        super().__init__()
        self.tell = tell

    def startTest(self, test: TestCase) -> None:
        self.tell.say("start", id=test.id())

    def addSuccess(self, test: TestCase) -> None:
        self.tell.test(test.id(), "passed")

    def addSkip(self, test: TestCase, reason: str) -> None:
        self.tell.test(test.id(), "skipped")

    def addExpectedFailure(self, test: TestCase, err: Any) -> None:
        self.tell.test(test.id(), "skipped")

    def addUnexpectedSuccess(self, test: TestCase) -> None:
        self.tell.test(test.id(), "failed", "It passes, although it is marked as an expected failure.")

    def addFailure(self, test: TestCase, err: Any) -> None:
        self.addError(test, err)

    def addError(self, test: TestCase, err: Any) -> None:
        name = test.id().replace(NOT_LOADED, "")
        reason = "".join(traceback.format_exception_only(err[0], err[1])).strip()
        self.tell.test(name, "failed", "".join(traceback.format_exception(*err)), reason)

    def addSubTest(self, test: TestCase, subtest: TestCase, err: Any) -> None:
        if err is not None:
            self.addError(test, err)


def run_pytest(tell: ResultWriter, only: list[str], scratch: Path) -> int:
    import pytest  # the project's

    gc.freeze()  # pytest looks for garbage several times at its end; with its own modules that is a quarter of its time
    sys.path.insert(0, str(Path.cwd()))
    options = ["-q", "--tb=short", "--color=no", "--maxfail=0", "--continue-on-collection-errors"]
    options += ["-o", f"cache_dir={scratch}"]
    if find_spec("pytest_cov") and not os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD"):
        options.append("--no-cov")
    sys.argv = ["pytest", *options]
    return int(pytest.main(options, plugins=[Reporter(tell, only, scratch)]))


def run_unittest(tell: ResultWriter, only: list[str], folders: list[str]) -> int:
    sys.argv = ["unittest"]
    sys.path.insert(0, str(Path.cwd()))
    suite = TestSuite()
    for folder in folders:
        loader = TestLoader()
        found = loader.discover(folder, top_level_dir=folder)
        suite.addTests(test for test in leaves(found) if not only or test.id() in only)
    results = Results(tell)
    suite.run(results)
    return 0


def use_compiled_modules(workspace: Path) -> None:
    """Read compiled files only of modules outside the workspace, where the work cannot have made them.

    The sandbox moves all compiled files to an empty folder; compiling pytest again takes longer than most tests.
    """
    sys.pycache_prefix = os.environ.get("PYTHONPYCACHEPREFIX") or None
    find = machinery.FileFinder.path_hook(
        (machinery.ExtensionFileLoader, machinery.EXTENSION_SUFFIXES),
        (InstalledLoader, machinery.SOURCE_SUFFIXES),
        (machinery.SourcelessFileLoader, machinery.BYTECODE_SUFFIXES),
    )

    def find_installed(folder: str) -> Any:
        if workspace in (place := Path(folder).resolve(), *place.parents):
            raise ImportError("in the workspace")
        return find(folder)

    sys.path_hooks.insert(0, find_installed)
    sys.path_importer_cache.clear()


def leaves(suite: Any) -> Iterator[TestCase]:
    for test in suite:
        if isinstance(test, TestSuite):
            yield from leaves(test)
        else:
            yield test


def obey(orders: dict[str, Any], scratch: Path) -> None:
    tell = ResultWriter(orders["mark"])
    has_pytest = find_spec("pytest") is not None
    if orders["pytest"] and not has_pytest:
        tell.say("missing")
        return
    tell.say("runner", name="pytest" if has_pytest else "unittest")
    if has_pytest:
        code = run_pytest(tell, orders["only"], scratch)
    else:
        code = run_unittest(tell, orders["only"], orders["folders"])
    tell.say("end", code=code, sent=tell.sent)


def main() -> None:
    """Run the requested tests; pytest and its plugins write their files outside the workspace."""
    orders = json.loads(sys.stdin.read())
    use_compiled_modules(Path.cwd().resolve())
    os.chdir(orders["home"] or ".")
    scratch = Path(tempfile.gettempdir(), f"openkoi-tests-{orders['mark'].strip('@ ')}")
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(scratch)
    os.environ["COVERAGE_FILE"] = str(scratch / "coverage")
    try:
        obey(orders, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
