"""Measure the chat from outside: processor time, bytes on its terminal, and latency.

Used by the tests, which assert counts, and by ``tests/benchmarks chat``, which prints times beside their goals.
"""

import json
import os
import pty
import re
import select
import signal
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from chat_stream_run import TEXT

from openkoi_hookspecs import (
    Cost,
    Decision,
    ExecutionResult,
    NextAction,
    Response,
    Task,
    Text,
    Usage,
    events,
)
from openkoi_hookspecs.model import StreamEnd
from openkoi_runlog import RunLog, new_session_id

RUN = Path(__file__).with_name("chat_stream_run.py")
PATIENCE = 40.0
ROWS, COLUMNS = 30, 100
KEY = "\u00e6"  # a letter that no text here contains
TERMINAL = {"TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": "1"}
MESSAGES = 10_000


@dataclass(slots=True)
class Chat:
    """A program on its own terminal, with all its output."""

    pid: int
    master: int
    raw: str = ""

    def hear(self, seconds: float) -> str:
        """Wait for its next output; return it."""
        piece = ""
        if select.select([self.master], [], [], seconds)[0]:
            with suppress(OSError):  # it has ended
                piece = os.read(self.master, 65_536).decode(errors="replace")
        self.raw += piece
        return piece

    def shows(self, *texts: str, since: int = 0) -> float:
        """Wait until all texts were written; return when."""
        end = time.monotonic() + PATIENCE
        while not all(text in self.raw[since:] for text in texts):
            assert time.monotonic() < end, f"{texts} do not come:\n{self.raw[since:][-2000:]!r}"
            self.hear(0.05)
        return time.monotonic()

    def type(self, keys: str) -> int:
        """Type keys; return where what is written afterwards begins."""
        os.write(self.master, keys.encode())
        return len(self.raw)

    def seconds_until(self, keys: str, *texts: str) -> float:
        """Type keys; return how long it takes until texts are written."""
        began = time.monotonic()
        return self.shows(*texts, since=self.type(keys)) - began

    def enter(self, line: str) -> None:
        """Type a line, and press Enter when it is shown."""
        self.type(line)
        self.hear_for(0.15)
        self.type("\r")

    def hear_for(self, seconds: float) -> None:
        """Read for a while."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.hear(left)

    def cpu(self) -> float:
        """Return its processor time in seconds."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self) -> int:
        """Return its memory in KiB."""
        return memory_of(self.pid)

    def settle(self) -> None:
        """Wait until it is idle."""
        end = time.monotonic() + PATIENCE
        while not unchanged(self.pid, 0.5):
            self.hear(0.0)
            assert time.monotonic() < end


def memory_of(pid: int) -> int:
    """Return the memory of a process in KiB."""
    return int(re.findall(r"^VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.M)[0])


@contextmanager
def spawned(
    command: Sequence[str], *, environment: Mapping[str, str] = os.environ, folder: Path | None = None
) -> Iterator[Chat]:
    """Run a program on a terminal of its own; it is killed in the end."""
    pid, master = pty.fork()
    if not pid:
        os.chdir(folder or ".")
        os.execvpe(command[0], list(command), {**environment, **TERMINAL})
    termios.tcsetwinsize(master, (ROWS, COLUMNS))
    try:
        yield Chat(pid, master)
    finally:
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        os.close(master)


def cpu_until(command: Sequence[str], text: str, environment: Mapping[str, str], folder: Path) -> float:
    """Return the processor time of a program until it writes a text, or ends where there is none."""
    with spawned(command, environment=environment, folder=folder) as chat:
        if text:
            chat.shows(text)
            os.kill(chat.pid, signal.SIGKILL)
        else:
            while chat.hear(PATIENCE):
                pass
        _, _, usage = os.wait4(chat.pid, 0)
    return usage.ru_utime + usage.ru_stime


@dataclass(slots=True)
class Streamed:
    """What a stream above a prompt did: its CPU, what it wrote, and how long each key took to be shown.

    ``delays`` are the milliseconds that the first piece of each answer took.
    """

    cpu: float = 0.0
    raw: str = ""
    echoes: list[float] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)

    @property
    def bytes(self) -> float:
        """The written bytes as a multiple of the text."""
        return len(self.raw.encode()) / len(TEXT)


def percentile(seconds: Sequence[float], share: float) -> float:
    """Return a quantile of the latencies in milliseconds."""
    return sorted(seconds)[int(share * (len(seconds) - 1))] * 1000


def stream(mode: str, report: Path, *, typing: bool, python: str = sys.executable) -> Streamed:
    """Run a stream; type a letter now and then, if asked."""
    found = Streamed()
    with spawned([python, str(RUN), mode, str(report)]) as chat:
        if typing:
            chat.shows(">")
            found.echoes = type_keys(chat, report.exists)
        while not report.exists():
            chat.hear(0.05)
        while chat.hear(0.3):
            pass
    reported = json.loads(report.read_text())
    found.raw, found.cpu, found.delays = chat.raw, reported.get("cpu", 0.0), reported.get("delays", [])
    return found


def type_keys(chat: Chat, ends: Callable[[], bool]) -> list[float]:
    """Type a letter again and again; return how long each took to be shown."""
    echoes = list[float]()
    chat.hear_for(0.2)
    while not ends():
        began, seen = time.monotonic(), chat.type(KEY)
        while KEY not in chat.raw[seen:] and not ends():
            chat.hear(0.005)
        if KEY in chat.raw[seen:]:
            echoes.append(time.monotonic() - began)
        chat.hear_for(0.05)
    return echoes


def unchanged(pid: int, seconds: float) -> bool:
    """Return whether no thread of a process has woken up for a while."""
    before = switches(pid)
    time.sleep(seconds)
    return before == switches(pid)


def switches(pid: int) -> Sequence[str]:
    """Return how often each thread of a process has given up the processor."""
    threads = sorted(Path(f"/proc/{pid}/task").iterdir())
    return re.findall(
        r"^voluntary_ctxt_switches:\s+(\d+)", "".join((one / "status").read_text() for one in threads), re.M
    )


def write_session(sessions: Path, workspace: Path, count: int = MESSAGES) -> None:
    """Write a session with a number of messages of 1.5 KB each to the log."""
    log = RunLog(sessions, new_session_id(), lambda text: text)
    decision = Decision(NextAction.ACCEPT, "it is good")
    for number in range(count):
        task = Task(f"Message {number}: {'please ' * 100}", channel="chat", session=log.session)
        words = f"Answer {number}. {'word ' * 150}"
        response = Response((Text(words),), StreamEnd(Usage(input=100, output=200)))
        happened = (
            events.TaskStarted(task, "scripted/script.yaml", str(workspace)),
            events.ModelResponse("scripted/script.yaml", response, 0.001),
            events.ExecutionFinished(ExecutionResult(words)),
            events.DecisionMade(0, decision, Cost(usd=0.001)),
            events.RunCompleted(decision, Cost(usd=0.001)),
        )
        log.append(f"{number:020x}", happened, sync=False)
    log.close()
