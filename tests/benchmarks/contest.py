"""Let contestants take turns: each in a process of its own, all with the same model.

What is compared is processor time, turn by turn with that of the floor, which is the first contestant and takes a turn
before each; so that what else a machine is busy with hits both. The floor beside itself shows how far figures can be
trusted.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from .homes import home_of_openkoi

TESTS = Path(__file__).parents[1]
ALONE = {
    "OPENAI_API_KEY": "sk-benchmark-0123456789abcdefghij",
    "NO_PROXY": "127.0.0.1",
    "LANGSMITH_TRACING": "false",
}
# Where the first one is set, each start compiles what it imports, and is measured with it.
UNSET = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH")


@dataclass(frozen=True, slots=True)
class Entry:
    """A contestant: a module below ``contestants``, the Python with its dependencies, and its variant.

    Without a Python it is one of ours, or a floor: it runs where OpenKoi is installed as it ships, ``beside`` which are
    further distributions.
    """

    name: str
    module: str
    python: str = ""
    way: str = ""
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cost:
    """What a turn cost.

    Seconds of processor time, seconds, the most memory of the process so far in MiB, how often a file was synced, and
    what the contestant itself has measured or found.
    """

    cpu: float
    wall: float
    peak: float
    syncs: float = 0
    figures: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """A turn, and the preceding turn of the floor."""

    cost: Cost
    floor: Cost


@dataclass(frozen=True, slots=True)
class Spread:
    """The median, minimum and maximum of several figures."""

    median: float
    least: float
    most: float

    def formatted(self, digits: int = 2) -> str:
        """Return the text for a table."""
        return f"{self.median:.{digits}f} ({self.least:.{digits}f} to {self.most:.{digits}f})"


class Left(Exception):
    """A contestant that was disqualified, and the reason."""


@dataclass(slots=True)
class Contestant:
    """A process that takes turns. ``wrong`` is its error message."""

    entry: Entry
    process: subprocess.Popen[str]
    wrong: IO[str]
    version: str = ""

    def read_line(self) -> dict[str, object]:
        """Return its next message."""
        line = self.process.stdout.readline() if self.process.stdout else ""
        if not line:
            self.wrong.seek(0)
            lines = self.wrong.read().strip().splitlines()
            raise Left(f"{self.entry.name} is left out: {lines[-1] if lines else 'it ended'}")
        found: dict[str, object] = json.loads(line)
        return found

    def turn(self, **asked: int) -> Cost:
        """Let it do one turn."""
        with suppress(BrokenPipeError):  # it has ended, which is seen when it says nothing
            print(json.dumps(asked), file=self.process.stdin, flush=True)
        reply = self.read_line()
        figures = reply["figures"]
        assert isinstance(figures, list)
        cpu, wall, peak, syncs = (float(str(reply[name])) for name in ("cpu", "wall", "peak", "syncs"))
        return Cost(cpu, wall, peak, syncs, figures)


@contextmanager
def model() -> Iterator[str]:
    """The address of the model that all contestants use."""
    with started([sys.executable, "-m", "benchmarks.model_server"], None) as server:
        yield server.stdout.readline().strip() if server.stdout else ""


@contextmanager
def enlisted(entries: Sequence[Entry], url: str) -> Iterator[list[Contestant]]:
    """The contestants that can take part; the others are named."""
    with ExitStack() as stack:
        yield [one for entry in entries if (one := arrived(entry, url, stack))]


def arrived(entry: Entry, url: str, stack: ExitStack) -> Contestant | None:
    wrong = TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 - the stack closes it
    stack.enter_context(wrong)
    python = entry.python or home_of_openkoi(*entry.beside)
    command = [python, "-m", f"benchmarks.contestants.{entry.module}", url, entry.way]
    one = Contestant(entry, stack.enter_context(started(command, wrong)), wrong)
    try:
        hello = one.read_line()
    except Left as left:
        if not entry.python:
            raise  # without one of ours or a floor there is nothing to compare
        print(left)
        return None
    if not (entry.python or hello["shipped"]):
        raise RuntimeError(f"{entry.name} runs where OpenKoi is not installed as it ships: {python}")
    one.version = str(hello["version"])
    return one


def variables(**own: str) -> dict[str, str]:
    """Return the environment of what is measured, with some variables of its own."""
    return {name: value for name, value in os.environ.items() if name not in UNSET} | ALONE | own


@contextmanager
def started(command: Sequence[str], wrong: IO[str] | None) -> Iterator[subprocess.Popen[str]]:
    """A process that is ended when it is no longer needed; it also ends when its input does."""
    pipe = subprocess.PIPE
    environment = variables(PYTHONPATH=str(TESTS))
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=wrong, env=environment, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def in_turn(contestants: list[Contestant], rounds: int, **asked: int) -> dict[str, list[Pair]]:
    """Run a number of turns of each, in turn; a contestant that fails is named and excluded."""
    floor = contestants[0]
    pairs: dict[str, list[Pair]] = {one.entry.name: [] for one in contestants}
    for _ in range(rounds):
        for one in tuple(contestants):
            least = floor.turn(**asked)
            try:
                pairs[one.entry.name].append(Pair(one.turn(**asked), least))
            except Left as left:
                print(left)
                contestants.remove(one)
                del pairs[one.entry.name]
    return pairs


def round_robin(contestants: list[Contestant], rounds: int, **asked: int) -> dict[str, list[Cost]]:
    """Run a number of turns of each, in turn, without pairwise comparison."""
    costs: dict[str, list[Cost]] = {one.entry.name: [] for one in contestants}
    for _ in range(rounds):
        for one in tuple(contestants):
            try:
                costs[one.entry.name].append(one.turn(**asked))
            except Left as left:
                print(left)
                contestants.remove(one)
                del costs[one.entry.name]
    return costs


def usage_of(command: Sequence[str], environment: Mapping[str, str], folder: Path) -> resource.struct_rusage:
    """Run a whole process and return what it used, with those that it started."""
    nothing = subprocess.DEVNULL
    with subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, env=environment, cwd=folder) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}")
    return usage


def spread(figures: Sequence[float]) -> Spread:
    """Return the summary of several figures."""
    return Spread(statistics.median(figures), min(figures), max(figures))


def times(pairs: Sequence[Pair]) -> Spread:
    """Return the processor time as a multiple of the floor's."""
    return spread([pair.cost.cpu / pair.floor.cpu for pair in pairs])


def met(figure: float, goal: float) -> str:
    """Return whether a figure is at most its goal."""
    return "met" if figure <= goal else "MISSED"


def load() -> str:
    """Return how busy the machine is, for readers of the figures."""
    return f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "load unknown"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Format rows as a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
