"""Enforce ``-m unit``: unit tests that write, connect or start a process fail, and their time is reported."""

import os
import sys
import time
from collections.abc import Iterator

import pytest

MILLISECONDS_A_TEST = 3.0  # 300 tests in a second, the specification's size for a suite of unit tests
WRITE_FLAGS = os.O_WRONLY | os.O_RDWR
FORBIDDEN = frozenset(
    {
        *("os.exec", "os.fork", "os.posix_spawn", "os.system", "subprocess.Popen"),
        *("socket.bind", "socket.connect", "socket.getaddrinfo", "socket.sendto", "sqlite3.connect"),
        *("os.chmod", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.truncate"),
    }
)


class UnitTestGuard:
    """Watch each unit test while it runs."""

    def __init__(self) -> None:
        self.running = ""
        self.count = 0
        self.seconds = 0.0
        sys.addaudithook(self.audit)

    def audit(self, event: str, arguments: tuple[object, ...]) -> None:
        """Refuse what a unit test may not do."""
        if self.running and (event in FORBIDDEN or (event == "open" and is_write(arguments))):
            raise AssertionError(f"{self.running} is marked as a unit test, but calls {event} with {arguments!r:.200}")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Run a test, and add its processor time. Modules that it imports first are not compiled to files."""
        self.running, begun = item.nodeid, time.process_time()
        compiles, sys.dont_write_bytecode = sys.dont_write_bytecode, True
        try:
            return (yield)
        finally:
            self.running, sys.dont_write_bytecode = "", compiles
            self.count += 1
            self.seconds += time.process_time() - begun

    @property
    def over_budget(self) -> bool:
        """Whether the tests take longer than they may."""
        return self.seconds * 1000 > self.count * MILLISECONDS_A_TEST

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Report the time and the budget."""
        budget = self.count * MILLISECONDS_A_TEST / 1000
        terminalreporter.write_line(
            f"{self.count} unit tests took {self.seconds:.2f} s of processor time; the budget is {budget:.2f} s"
        )

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail when the budget is exceeded."""
        if self.over_budget:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def is_write(arguments: tuple[object, ...]) -> bool:
    """Return whether an ``open`` event is for writing; its arguments are the path, the mode and the flags."""
    _, _, flags = arguments
    return isinstance(flags, int) and bool(flags & WRITE_FLAGS)
