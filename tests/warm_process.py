"""Start the command line without importing it again, by forks of a process that has imported it.

Each command is still a process of its own, with its folder, variables and streams. This saves what takes a user
most time at the start; a test of that, or of variables that Python itself reads, starts a cold process.
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Never

SETTINGS = Path(__file__).parents[1] / "pyproject.toml"
STOP_SECONDS = 10
LONGEST, WIDTH = 1 << 20, 16
LEFT_OUT = {"openkoi_cli.demo", "openkoi_search.lexical", "openkoi_search.minilm", "openkoi_testing"}
THIRD_PARTY = {
    *("duckdb", "httpx2", "importlib_metadata", "json_repair", "markdown_it", "mcp", "pathspec", "pydantic"),
    *("pygments", "rapidfuzz", "snowballstemmer", "tomlkit", "tree_sitter", "tree_sitter_bash", "yaml"),
}
IMPORTED_LATER = {  # by the others, when they need it
    *("anyio._backends._asyncio", "concurrent.futures.thread", "encodings.idna", "encodings.utf_8_sig", "h11"),
    *("httpcore2", "importlib.readers", "openkoi_testing.apps", "prompt_toolkit.input.vt100", "truststore", "zipp"),
}
STARTING = threading.Lock()
COMPLETED = ("__dataclass_fields__", "__init__", "__match_args__", "__eq__", "__hash__")
REQUESTS = ("Fix the failing tests.", "What is the capital of France?", "Do not change anything; tell me why it fails.")


@dataclass(slots=True)
class Command:
    """A command under way. Its parent writes its number to ``reports``, then how it ended."""

    reports: int
    pid: int

    def wait(self, seconds: float) -> int | None:
        """Return its exit status like subprocess; None, after killing it, if it has not ended in time."""
        over = bool(select.select([self.reports], [], [], seconds)[0])
        if not over:
            os.kill(self.pid, signal.SIGKILL)
        status = int(os.read(self.reports, WIDTH))
        os.close(self.reports)
        self.reports = -1
        return os.waitstatus_to_exitcode(status) if over else None

    def kill(self) -> None:
        """Kill it, unless it has ended."""
        if self.reports >= 0:
            self.wait(0)


def start(
    words: Sequence[str], env: Mapping[str, str], folder: Path, streams: Sequence[int], *, terminal: bool = False
) -> Command:
    """Start a command. ``streams``: the descriptors that become its stdin, stdout and stderr, of a terminal or not."""
    reports, writer = os.pipe()
    fields = {"words": list(words), "env": dict(env), "folder": str(folder), "terminal": terminal}
    order = json.dumps(fields).encode()
    socket.send_fds(warm().line, [order], [*streams, writer])
    os.close(writer)
    return Command(reports, int(os.read(reports, WIDTH)))


@dataclass(frozen=True, slots=True)
class Warm:
    """The process that is copied, and the line to it, with which it ends."""

    line: socket.socket
    process: subprocess.Popen[bytes]


def warm() -> Warm:
    """Start it, once, whichever thread asks first."""
    with STARTING:
        return started()


@cache
def started() -> Warm:
    """Start it."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    process = subprocess.Popen(
        [sys.executable, __file__, str(its.fileno())],
        pass_fds=[its.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env={
            **os.environ,
            **measurement(),
            "PYTHONWARNINGS": "",
            "LD_BIND_NOW": "1",
        },  # else each copy looks for functions that it calls
    )
    its.close()
    return Warm(ours, process)


def stop() -> None:
    """End it, if it was started: its processor time then counts as ours."""
    if started.cache_info().currsize:
        one = started()
        one.line.close()
        with contextlib.suppress(subprocess.TimeoutExpired):  # a process that a test left may have the line, too
            one.process.wait(STOP_SECONDS)


def measurement() -> dict[str, str]:
    """Return the variables that let coverage measure the copies, if it measures the tests."""
    coverage = sys.modules.get("coverage")
    return {"COVERAGE_PROCESS_START": str(SETTINGS)} if coverage and coverage.Coverage.current() else {}


def save_measurement() -> None:
    """Save what coverage has measured here, else each copy would save it again."""
    if coverage := sys.modules.get("coverage"):
        coverage.Coverage.current().save()


def serve(orders: socket.socket) -> None:
    """Copy ourselves for each order, and report how each copy ended, until the orders end."""
    running: dict[int, Running] = {}
    while True:
        ready, _, _ = select.select([orders.fileno(), *running], [], [])
        for handle in ready:
            if handle in running:
                running.pop(handle).report_end(handle)
            elif not (one := start_copy(orders)):
                return
            else:
                running[os.pidfd_open(one.pid)] = one


@dataclass(frozen=True, slots=True)
class Running:
    """A copy of ourselves, and where to report how it ended."""

    pid: int
    reports: int

    def report_end(self, handle: int) -> None:
        """Report how it ended."""
        os.close(handle)
        _, status = os.waitpid(self.pid, 0)
        with contextlib.suppress(BrokenPipeError):  # the test no longer waits
            os.write(self.reports, b"%*d" % (WIDTH, status))
        os.close(self.reports)


def start_copy(orders: socket.socket) -> Running | None:
    """Read an order and start its command as a copy of ourselves; None when there are no more orders."""
    order, handles, _, _ = socket.recv_fds(orders, LONGEST, 4)
    if not order:
        return None
    *streams, reports = handles
    child = os.fork()
    if not child:
        orders.close()
        os.close(reports)
        become(json.loads(order), streams)
    for handle in streams:
        os.close(handle)
    try:
        os.write(reports, b"%*d" % (WIDTH, child))
    except BrokenPipeError:  # the test was ended while it waited: the other tests still need this process
        os.kill(child, signal.SIGKILL)
    return Running(child, reports)


def become(order: Mapping[str, Any], streams: Sequence[int]) -> Never:
    """Be the command."""
    for number, handle in enumerate(streams):
        os.dup2(handle, number)
        os.close(handle)
    if order["terminal"]:
        take_terminal()
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["env"])
    sys.argv = ["openkoi", *order["words"]]
    sys.path[:1] = [order["folder"], *filter(None, order["env"].get("PYTHONPATH", "").split(os.pathsep))]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with contextlib.suppress(BaseException):  # how Python itself ends is done below, but for taking all modules apart
        code = exit_code()
        threading._shutdown()  # type: ignore[attr-defined]  # what a process that was forked by multiprocessing does, too
        atexit._run_exitfuncs()
        sys.stdout.flush()
        os._exit(code)
    os._exit(120)


def take_terminal() -> None:
    """Make the terminal on stdin our own, as a shell in a new window does; Python flushes each line to one."""
    import fcntl
    import termios

    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # a process begins with text streams


def exit_code() -> int:
    """Run the command line to its end; return its exit status."""
    try:
        runpy.run_module("openkoi", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def warm_up() -> None:
    """Import what commands import and compile what they compile; what cannot be imported is theirs to report."""
    from rehearsal import rehearse

    from openkoi_loader.plugin_discovery import scan

    targets = {one.target.partition(":")[0].partition(".")[0] for one in scan().found}
    for name in {
        "openkoi",
        *(one for one in targets if one.startswith("openkoi_")),
        *THIRD_PARTY,
        *IMPORTED_LATER,
    } - LEFT_OUT:
        with contextlib.suppress(Exception):
            module = importlib.import_module(name)
            if name.startswith("openkoi"):
                import_all(module)
    complete_definitions()
    compile_patterns()
    rehearse(exit_code)
    atexit._clear()  # libraries take apart what goes with the process anyway, and each copy would copy it for that
    gc.collect()
    gc.freeze()  # what all copies share is not looked through by each of them


def import_all(package: ModuleType) -> None:
    """Import all modules of a package except the one that runs it."""
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not found.name.endswith("__main__"):
            with contextlib.suppress(Exception):
                importlib.import_module(found.name)


def complete_definitions() -> None:
    """Complete what modules leave to the first use: packages, dataclasses and expressions."""
    from openkoi_base.redact.formats import Format
    from openkoi_hookspecs.lazy_pattern import LazyPattern

    for name, module in [*sys.modules.items()]:
        if name.startswith("openkoi"):
            for value in [getattr(module, word) for word in (*getattr(module, "__all__", ()), *vars(module))]:
                if isinstance(value, type):
                    for attribute in COMPLETED:
                        getattr(value, attribute, None)
    for value in gc.get_objects():
        if type(value) is LazyPattern:
            _ = value.flags
        elif type(value) is Format:
            _ = value.pattern


def compile_patterns() -> None:
    """Let libraries that compile their expressions, or read their files, at the first use do so now."""
    from openkoi_base.redact import Redactor
    from openkoi_base.redact.stream import safe_cut
    from openkoi_judge.rubrics_library import bundled_rubrics
    from openkoi_prompt import is_question
    from openkoi_prompt.instructions import family_of

    Redactor()("token = 0123456789abcdef0123456789abcdef")
    safe_cut("The token is ", Redactor())
    bundled_rubrics()
    family_of("openai/mock")
    for words in REQUESTS:
        is_question(words)


if __name__ == "__main__":
    warm_up()
    save_measurement()
    serve(socket.socket(fileno=int(sys.argv[1])))
    os._exit(0)  # libraries complain of objects that were frozen
