"""Run tests in forks of the process that collected them, since collecting costs more than most tests."""

import os
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from multiprocessing import Pipe
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Never, cast
from warnings import WarningMessage

import pytest

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    Line = Connection[Any, Any]

REPEATED_TESTS = 5
"""When no more tests fail, each is run again alone, since a busy machine can fail a test. Chosen, not measured."""


@dataclass(slots=True)
class Worker:
    """A fork that runs one file's tests at a time, by their places in the session."""

    pid: int
    line: "Line"
    left: list[int]
    last: int = 0
    reports: list[pytest.TestReport] = field(default_factory=list)

    def give(self, places: Sequence[int]) -> None:
        """Let it run these tests, or end if there are none."""
        self.left = [*places]
        with suppress(ConnectionError):  # it has ended, and is replaced when that is read
            self.line.send(places)


class WorkerReporter:
    """Send reports to the parent. It replaces the terminal reporter, whose writer other plugins use."""

    def __init__(self, config: pytest.Config, line: "Line") -> None:
        self.config = config
        self.line = line
        self.registered = False
        self._tw = config.get_terminal_writer()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Report how a part of a test ended."""
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        self.line.send(("pytest_runtest_logreport", {"report": data}))

    def pytest_runtest_logfinish(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        """Report that a test has ended."""
        self.line.send(("pytest_runtest_logfinish", {"nodeid": nodeid, "location": location}))

    def pytest_warning_recorded(
        self, warning_message: WarningMessage, when: str, nodeid: str, location: tuple[str, int, str] | None
    ) -> None:
        """Report a warning, whose class may be known to this process alone; pytest repeats earlier ones first."""
        if not self.registered:
            return
        text = f"{warning_message.category.__name__}: {warning_message.message}"
        plain = WarningMessage(UserWarning(text), UserWarning, warning_message.filename, warning_message.lineno)
        values = {"warning_message": plain, "when": when, "nodeid": nodeid, "location": location}
        self.line.send(("pytest_warning_recorded", values))


class ForkedWorkers:
    """Run the session's tests in this many forks, each of which takes one file after the other.

    ``prepare`` is called before, for what they share.
    """

    def __init__(self, count: int, prepare: Callable[[], object] = lambda: None) -> None:
        self.count = count
        self.prepare = prepare

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run all tests, unless there are too few for it or they are only listed."""
        files = [*tests_by_file(session.items)]
        if session.config.option.collectonly or session.testsfailed or len(files) < 2:
            return None
        if reporter := session.config.pluginmanager.get_plugin("terminalreporter"):
            reporter.showfspath = False  # files run at the same time
        session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # one for all forks, which we remove
        self.prepare()
        Run(session, files).run(min(self.count, len(files)))
        return True


class Run:
    """A run of a session's tests: the files that wait, and the forks at work."""

    def __init__(self, session: pytest.Session, files: list[list[int]]) -> None:
        self.session = session
        self.hook = session.config.hook
        self.waiting = files[::-1]
        self.workers: dict[Line, Worker] = {}
        self.failed: dict[int, Sequence[pytest.TestReport]] = {}
        self.repeats = not session.config.getvalue("maxfail")

    def run(self, count: int) -> None:
        """Run all in this many forks, then those that failed, one after the other."""
        self.run_waiting(count)
        self.repeats = False
        few = len(self.failed) <= REPEATED_TESTS
        for place, reports in self.failed.items():
            if few:
                self.waiting = [[place]]
                self.run_waiting(1)
            else:
                self.report_test(place, reports)

    def run_waiting(self, count: int) -> None:
        """Run the waiting files in this many forks."""
        for _ in range(count):
            self.start_worker()
        try:
            while self.workers:
                for line in wait([*self.workers]):
                    self.receive(self.workers[cast("Line", line)])
                if self.session.shouldfail or self.session.shouldstop:
                    raise self.session.Failed(self.session.shouldfail or self.session.shouldstop)
        finally:
            self.stop_workers()

    def stop_workers(self) -> None:
        """End the remaining forks as soon as they report."""
        for worker in self.workers.values():
            worker.line.close()
        for worker in self.workers.values():
            os.waitpid(worker.pid, 0)

    def start_worker(self) -> None:
        """Fork, and give the fork its first file."""
        ours, its = Pipe()
        pid = os.fork()
        if not pid:
            ours.close()
            run_child(self.session, its)
        its.close()
        worker = self.workers[ours] = Worker(pid, ours, [])
        self.give_next(worker)

    def give_next(self, worker: Worker) -> None:
        """Give a fork the next file, if there is one."""
        worker.give(self.waiting.pop() if self.waiting else [])

    def receive(self, worker: Worker) -> None:
        """Handle a fork's report."""
        name, values = receive_message(worker.line)
        if not name:
            self.replace_worker(worker)
            return
        if name == "pytest_runtest_logreport":
            config = self.session.config
            worker.reports.append(self.hook.pytest_report_from_serializable(config=config, data=values["report"]))
        elif name == "pytest_runtest_logfinish":
            self.finish_test(worker)
        else:
            self.hook.pytest_warning_recorded.call_historic(kwargs=values)

    def finish_test(self, worker: Worker) -> None:
        """Report a test, or keep its reports until it has been run again."""
        place = worker.last = worker.left.pop(0)
        reports, worker.reports = worker.reports, []
        failed = any(report.failed for report in reports)
        if failed and self.repeats:
            self.failed[place] = reports
        else:
            self.report_test(place, reports)
        if place in self.failed and not failed:
            self.warn_of_flaky_test(place)
        if not worker.left:
            self.give_next(worker)

    def report_test(self, place: int, reports: Sequence[pytest.TestReport]) -> None:
        """Forward the result of a test."""
        item = self.session.items[place]
        for report in reports:
            self.hook.pytest_runtest_logreport(report=report)
        self.hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def warn_of_flaky_test(self, place: int) -> None:
        """Show how a test failed that passed when it was run again."""
        item = self.session.items[place]
        failures = "\n".join(report.longreprtext for report in self.failed[place] if report.failed)
        message = UserWarning(f"Flaky: it failed beside other tests and passed alone.\n{failures}")
        warning = WarningMessage(message, UserWarning, str(item.path), item.location[1] or 0)
        values = {"warning_message": warning, "when": "runtest", "nodeid": item.nodeid, "location": None}
        self.hook.pytest_warning_recorded.call_historic(kwargs=values)

    def replace_worker(self, worker: Worker) -> None:
        """Report the test during which a fork ended too early, and let another one run the rest of its file."""
        del self.workers[worker.line]
        _, status = os.waitpid(worker.pid, 0)
        if status or worker.left:
            place = worker.left.pop(0) if worker.left else worker.last
            self.report_end(self.session.items[place], os.waitstatus_to_exitcode(status))
        if worker.left:
            self.waiting.append(worker.left)
            self.start_worker()

    def report_end(self, item: pytest.Item, status: int) -> None:
        """Report that a fork ended during a test, or after it in the teardown of what it shared with others."""
        text = f"The process that ran this test ended with status {status}."
        report = pytest.TestReport(item.nodeid, item.location, {}, "failed", text, "call")
        self.hook.pytest_runtest_logreport(report=report)
        self.hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)


def receive_message(line: "Line") -> tuple[str, dict[str, Any]]:
    """Return the name of a hook and what to call it with, or no name if the fork has ended."""
    try:
        name, values = line.recv()
    except (EOFError, ConnectionError):
        return "", {}
    return name, values


def tests_by_file(items: Sequence[pytest.Item]) -> Iterator[list[int]]:
    """Yield the places of each file's tests."""
    for _, places in groupby(range(len(items)), key=lambda place: items[place].path):
        yield [*places]


def run_child(session: pytest.Session, line: "Line") -> Never:
    """Run the files that the parent gives, and end."""
    status = 1
    try:
        prepare_child(session.config, line)
        while places := line.recv():
            items = [session.items[place] for place in places]
            for item, following in zip(items, [*items[1:], session], strict=True):
                session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        session._setupstate.teardown_exact(None)
        status = 0
    except (EOFError, ConnectionError):
        pass  # the parent has stopped
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(status)


def prepare_child(config: pytest.Config, line: "Line") -> None:
    """Give a fork streams and a reporter of its own."""
    plugins = config.pluginmanager
    reporter = WorkerReporter(config, line)
    plugins.unregister(name="terminalreporter")
    plugins.register(reporter, "terminalreporter")
    reporter.registered = True
    capture = plugins.get_plugin("capturemanager")
    if capture:
        capture.stop_global_capturing()
        capture.start_global_capturing()
        capture.suspend_global_capture()
