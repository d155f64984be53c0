"""Measure a command from start to end, as it ships, beside bare Python, click, an httpx2 script and peers.

Ratios of processor time, pair by pair. The question is answered at once, so that what is counted is ours. Memory is
searched twice: with that one task in it, and with ten thousand pieces, most of which have a word of the question.
"""

import asyncio
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import copytree, rmtree
from tempfile import TemporaryDirectory

from openkoi_hookspecs import Cost, Decision, NextAction, Task
from openkoi_hookspecs.events import RunCompleted, TaskStarted
from openkoi_runlog import RunLog
from openkoi_testing.contracts.memory_log import SUBJECTS

from .contest import load, met, model, table, usage_of, variables
from .homes import home_of_openkoi
from .peers import python_of

VERSION = "import sys; from importlib.metadata import version; print(version(sys.argv[1]))"
TASKS_IN_SESSION = 100
FAKES, ADDED_GOAL = 100, 10.0
PIECES, SEARCH, SEARCH_MANY = (
    10_000,
    ("memory", "search", "capital"),
    ("memory", "search", "Fix the login of customer 77"),
)
QUESTION = ("-i", "0", "-m", "openai/m", "What is the capital of France?")
ASKING = """
import asyncio, httpx2, os
async def ask():
    async with httpx2.AsyncClient() as client:
        asked = {"role": "user", "content": "What is the capital of France?"}
        body = {"model": "m", "stream": True, "messages": [asked]}
        async with client.stream("POST", os.environ["OPENAI_BASE_URL"] + "/chat/completions", json=body) as response:
            async for line in response.aiter_lines():
                pass
asyncio.run(ask())
"""
UNTIL_REQUEST = """
import os, sys
def end_at_the_first_connection(event, arguments):
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        os._exit(0)
sys.addaudithook(end_at_the_first_connection)
"""
BY_SDK = """
import openai
asked = {"role": "user", "content": "What is the capital of France?"}
for chunk in openai.OpenAI().chat.completions.create(model="m", stream=True, messages=[asked]):
    pass
"""
PEERS = {  # what they run to ask the same, and their words
    "llm": ("from llm.cli import cli; cli()", ("-m", "gpt-4o-mini", "What is the capital of France?")),
    "openai": (BY_SDK, ()),
}
STARTING = "from openkoi import main; main()"
FIRST_GOAL = 2.0
BASES = {"bare Python": "pass", "import click": "import click", "httpx2 script": ASKING}
GOALS = (
    (("--version",), "bare Python", 1.3),
    (("--help",), "import click", 1.3),
    (QUESTION, "httpx2 script", 2.0),
    (("status",), "bare Python", 8.0),
    (SEARCH, "bare Python", 10.0),
    (("plugins",), "bare Python", 12.0),
)


@dataclass(frozen=True, slots=True)
class Machine:
    """A Python with OpenKoi, where commands are run, and their variables."""

    python: str
    folder: Path
    variables: Mapping[str, str]

    def cpu(self, command: Sequence[str], extra: str = "") -> float:
        """Return the seconds of processor time of one whole process."""
        environment = {**self.variables, **({"PYTHONPATH": extra} if extra else {})}
        usage = usage_of(command, environment, self.folder)
        return usage.ru_utime + usage.ru_stime

    def ours(self, *arguments: str) -> list[str]:
        """Return a command line of OpenKoi."""
        return [str(Path(self.python).with_name("openkoi")), *arguments]

    def ratio(self, arguments: Sequence[str], base: str, rounds: int) -> float:
        """Return the cost of a command as a multiple of the base's."""
        return self.compare(self.ours(*arguments), [self.python, "-c", BASES[base]], rounds)

    def compare(self, command: Sequence[str], base: Sequence[str], rounds: int) -> float:
        """Return the cost of a command as a multiple of a base's, which runs once before to warm up."""
        self.cpu(command)
        return statistics.median(self.cpu(command) / self.cpu(base) for _ in range(rounds))

    def peer_row(self, name: str, python: str, rounds: int) -> list[str]:
        """Return the version of a peer, its cost up to its first request beside the script's, and that of its help."""
        code, words = PEERS[name]
        script = [self.python, "-c", UNTIL_REQUEST + ASKING]
        first = self.compare([python, "-c", UNTIL_REQUEST + code, *words], script, rounds)
        asked = [python, "-c", VERSION, name]
        version = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
        cost = ""
        if name == "llm":  # the other one is a library
            click = [self.python, "-c", BASES["import click"]]
            cost = f"{self.compare([str(Path(python).with_name(name)), '--help'], click, rounds):.2f} x import click"
        return [f"{name} {version}", f"{first:.2f} x httpx2 script", cost]

    def until_request(self, rounds: int) -> float:
        """Return how many times the script's cost up to its first request a question costs up to its own."""
        home = Path(self.variables["OPENKOI_HOME"])
        copied = replace(self, variables={**self.variables, "OPENKOI_HOME": str(home.with_name("ended"))})
        ours, script = (
            [self.python, "-c", UNTIL_REQUEST + code, *words] for code, words in ((STARTING, QUESTION), (ASKING, ()))
        )
        ratios = []
        for _ in range(rounds):
            rmtree(home.with_name("ended"), ignore_errors=True)
            copytree(home, home.with_name("ended"))  # without the runs that were ended
            ratios.append(copied.cpu(ours) / copied.cpu(script))
        return statistics.median(ratios)

    def added_by_plugins(self, rounds: int) -> float:
        """Return the milliseconds that a hundred more distributions add to ``--help``."""
        site, command = self.folder.parent / "site", self.ours("--help")
        for number in range(FAKES):
            info = site / f"openkoi_fake{number}-1.0.dist-info"
            info.mkdir(parents=True, exist_ok=True)
            (info / "entry_points.txt").write_text(f"[openkoi.evaluators]\nfake{number} = fake{number}:Fake\n")
        return statistics.median(self.cpu(command, str(site)) - self.cpu(command) for _ in range(rounds)) * 1000


def show(rounds: int) -> None:
    """Print a table with the goals."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, model() as url:
        workspace = Path(folder, "workspace")
        workspace.mkdir()
        own = {
            "OPENKOI_HOME": str(Path(folder, "home")),
            "OPENAI_BASE_URL": url,
            "LLM_USER_PATH": str(Path(folder, "llm")),
        }
        machine = Machine(home_of_openkoi(), workspace, variables(**own))
        machine.cpu(machine.ours(*QUESTION))
        found = [(*one, machine.ratio(one[0], one[1], rounds)) for one in GOALS]
        rows = [
            [" ".join(arguments), f"{ratio:.2f} x {base}", f"{goal:g}", met(ratio, goal)]
            for arguments, base, goal, ratio in found
        ]
        first = machine.until_request(rounds)
        name = f"{' '.join(QUESTION)}, until its first request"
        rows.append([name, f"{first:.2f} x httpx2 script", f"{FIRST_GOAL:g}", met(first, FIRST_GOAL)])
        asyncio.run(fill_memory(Path(folder, "home")))
        searched = machine.ratio(
            SEARCH_MANY, "bare Python", rounds
        )  # the first one takes the log in, and is not counted
        name = f"{' '.join(SEARCH_MANY)}, {PIECES:,} pieces"
        rows.append([name, f"{searched:.2f} x bare Python", "10", met(searched, 10.0)])
        added = machine.added_by_plugins(rounds)
        more = ["--help with 100 more distributions", f"{added:+.1f} ms", f"{ADDED_GOAL:g} ms", met(added, ADDED_GOAL)]
        print(table([f"openkoi ({load()})", "processor time", "goal", ""], [*rows, more]))
        others = [machine.peer_row(name, python, rounds) for name in PEERS if (python := python_of(name))]
        print(table([f"peers ({load()})", "until the first request", "--help"], others))


async def fill_memory(home: Path) -> None:
    """Log enough tasks for a number of pieces in memory, in sessions of a hundred."""
    names = [f"{first} {second}" for first in SUBJECTS for second in SUBJECTS]
    for first in range(0, PIECES, TASKS_IN_SESSION):
        log = RunLog(home / "data" / "sessions", f"20260101T000000-benchmark{first}", str)
        for number in range(first, first + TASKS_IN_SESSION):
            text = f"Fix the {names[number % len(names)]} of customer {number}"
            event = RunCompleted(Decision(NextAction.ACCEPT, "good enough"), Cost(tokens=90))
            log.append(f"run{number:05}", [TaskStarted(Task(text, session=log.session)), event], sync=False)
        log.close()
