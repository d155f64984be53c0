"""Measure the chat's costs and latency, beside a bare prompt of prompt_toolkit.

Processor time is compared pair by pair with a floor. Times to the screen depend on how busy the machine is: run it on a
quiet one.
"""

import os
import shutil
import signal
import statistics
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from chat_measurements import Chat, cpu_until, percentile, spawned, stream, switches, type_keys, write_session
from chat_terminal import runs, says
from cli_process import write_script

from openkoi_testing.servers import OpenAIServer, Say, ServerFault

from .chat_peers import ANSWER, Row, Terminal, measured, others
from .contest import load, met, table, variables
from .homes import home_of_openkoi

DRAWN = """
import os, sys
import prompt_toolkit.application as a
draw = a.Application._redraw
def stop(self, *args, **named):
    draw(self, *args, **named)
    os._exit(0)
a.Application._redraw = stop
sys.argv = ["openkoi", *{words!r}]
from openkoi import main
main()
"""
BARE = "import prompt_toolkit"
READY, CONTINUED = "spent", "for 10,000 tasks"
WORKS, IDLE_SECONDS, TURNS, BESIDE = "esc to interrupt", 10, 20, 4
INTERRUPTED = "Interrupted."
LONG = Say("Words of it. " * 4_000, fault=ServerFault(pause=0.02))
SILENT = Say("Well.", fault=ServerFault(delay=60.0))
SLEEP = "sleep 67.5"
TURNS_OF_SCRIPT = says("I wait.", "wait", calls=runs(SLEEP)) + says("Well.", "")
PEER_ROUNDS = 1  # peers differ from ours by factors, and a round takes half a minute


@dataclass(frozen=True, slots=True)
class Machine:
    """A Python with OpenKoi, a folder to work in, a home, and the variables of both."""

    python: str
    folder: Path
    home: Path

    def environment(self, **more: str) -> Mapping[str, str]:
        """Return the variables of a chat."""
        own = {"OPENKOI_HOME": str(self.home), "HOME": str(self.home.parent), "OPENKOI_ITERATE": "0"}
        return variables(**own, UV_OFFLINE="1", PIP_NO_INDEX="1", **more)

    def scripted(self) -> Mapping[str, str]:
        """Return the variables of a chat with a scripted model."""
        return self.environment(OPENKOI_MODEL=write_script(self.folder, TURNS_OF_SCRIPT))

    @contextmanager
    def chat(self, environment: Mapping[str, str], *words: str, ready: str = READY) -> Iterator[Chat]:
        """Open a chat, and wait until it is idle."""
        command = [str(Path(self.python).with_name("openkoi")), *words]
        with spawned(command, environment=environment, folder=self.folder) as chat:
            chat.shows(ready)
            chat.settle()
            yield chat


def show(rounds: int) -> None:
    """Print a table with the goals."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        work, home = Path(folder, "work"), Path(folder, "home")
        work.mkdir()
        home.mkdir()
        machine = Machine(home_of_openkoi(), work, home)
        rows = [
            *starts(machine, rounds),
            *streams(machine, rounds),
            *answers(machine),
            *works(machine),
            *stops(machine),
        ]
        rows += [*idles(machine), *continues(machine, rounds), *beside_others(machine, min(rounds, PEER_ROUNDS))]
    print(table([f"chat ({load()})", "result", "bare prompt", "goal", "", "peers"], rows))


def row(name: str, result: float, unit: str, goal: float, *, beside: str = "") -> Row:
    """Return a line of the table."""
    digits = 2 if unit in ("x", "s", "%") else 0
    return [name, f"{result:.{digits}f} {unit}", beside, f"{goal:g} {unit}", met(result, goal), ""]


def starts(machine: Machine, rounds: int) -> Iterator[Row]:
    """Compare a start, until the prompt is drawn, with its indispensable parts."""
    ours, bare = ([machine.python, "-c", code] for code in (DRAWN.format(words=[]), BARE))
    ratios = [cpu(machine, ours) / cpu(machine, bare) for _ in range(rounds)]
    yield row("prompt is drawn, relative to `import prompt_toolkit`", statistics.median(ratios), "x", 1.5)


def cpu(machine: Machine, command: Sequence[str], until: str = "") -> float:
    """Return the processor time of a program on a terminal."""
    return cpu_until(command, until, machine.scripted(), machine.folder)


def streams(machine: Machine, rounds: int) -> Iterator[Row]:
    """Compare a stream of 24 KB in 2,000 pieces with the same one above a bare prompt; type in some of them."""

    def median(mode: str) -> float:
        return statistics.median(
            stream(mode, machine.home / f"{mode}{turn}", typing=False, python=machine.python).cpu
            for turn in range(rounds)
        )

    quiet, floor = median("ours"), median("bare")
    ours, bare = (
        stream(mode, machine.home / f"{mode}-typing", typing=True, python=machine.python) for mode in ("ours", "bare")
    )
    yield row("24 KB in 2,000 pieces, CPU", quiet, "s", 0.5, beside=f"{floor:.2f} s")
    yield row("bytes written, relative to the text", ours.bytes, "x", 12, beside=f"{bare.bytes:.2f} x")
    for share, goal in ((0.5, 10), (0.95, 30)):
        ms, other = percentile(ours.echoes, share), percentile(bare.echoes, share)
        yield row(f"key to echo while streaming, p{share * 100:.0f}", ms, "ms", goal, beside=f"{other:.0f} ms")


def beside_others(machine: Machine, rounds: int) -> Iterator[Row]:
    """Compare the whole chat, at a model behind a server, with other chats."""
    with OpenAIServer(ANSWER) as server:
        variables = served(machine, server)
        ours = Terminal("openkoi", [str(Path(machine.python).with_name("openkoi"))], READY, variables)
        terminals = [ours, *others({**variables, "OPENAI_API_BASE": server.url}, machine.home.parent)]
        yield from measured(terminals, lambda: cpu(machine, [machine.python, "-c", BARE]), machine.folder, rounds)


def answers(machine: Machine) -> Iterator[Row]:
    """Measure how long Enter takes to show the message and the working line, and the first piece of an answer."""
    shown = list[float]()
    with (
        OpenAIServer(Say("Well.", fault=ServerFault(delay=0.3))) as server,
        machine.chat(served(machine, server)) as chat,
    ):
        for number in range(TURNS):
            word = f"message{number:02}"
            chat.type(word)
            chat.hear_for(0.2)
            began = len(chat.raw)
            shown.append(chat.seconds_until("\r", word, WORKS))
            chat.shows("[done]", since=began)
            chat.hear_for(0.2)
    yield row("Enter to message and working line, p95", percentile(shown, 0.95), "ms", 50)
    report = machine.home / "first"
    first = stream("first", report, typing=False, python=machine.python)
    yield row("first piece of an answer to screen, p95", percentile(first.delays, 0.95) / 1000, "ms", 50)


def served(machine: Machine, server: OpenAIServer) -> Mapping[str, str]:
    """Return the variables of a chat with a model behind a server."""
    return machine.environment(OPENAI_BASE_URL=server.url, OPENKOI_MODEL="openai/m")


def works(machine: Machine) -> Iterator[Row]:
    """Type while several tasks stream, and measure the cost of waiting."""
    with OpenAIServer(LONG) as server, machine.chat(served(machine, server)) as chat:
        for number in range(BESIDE + 1):
            count = len(chat.raw)
            chat.enter(f"task {number}")
            chat.shows(WORKS, since=count)
            if number < BESIDE:
                chat.type("\x02")
                chat.shows("in the background", since=count)
        end = time.monotonic() + IDLE_SECONDS
        echoes = type_keys(chat, lambda: time.monotonic() > end)
    for share, goal in ((0.5, 10), (0.95, 30)):
        name = f"key to echo while {BESIDE} other tasks stream, p{share * 100:.0f}"
        yield row(name, percentile(echoes, share), "ms", goal)
    with OpenAIServer(SILENT) as server, machine.chat(served(machine, server)) as chat:
        chat.enter("wait")
        chat.shows(WORKS)
        chat.hear_for(2.0)
        before = chat.cpu()
        chat.hear_for(IDLE_SECONDS)
        yield row("waiting for a model, share of a core", (chat.cpu() - before) / IDLE_SECONDS * 100, "%", 1)


def stops(machine: Machine) -> Iterator[Row]:
    """Measure how long Esc takes to stop an answer and a command, and a hang-up to end everything."""
    with OpenAIServer(LONG) as server, machine.chat(served(machine, server)) as chat:
        times = [stopped(chat, "go on", "Words of it.") for _ in range(5)]
    yield row("Esc until a stream has ended, median", statistics.median(times) * 1000, "ms", 100)
    with machine.chat(machine.scripted()) as chat:
        times = [stopped(chat, "wait", f"Running {SLEEP}") for _ in range(5)]
    yield row("Esc until a command has ended, median", statistics.median(times) * 1000, "ms", 300)
    times = [hung_up(machine) for _ in range(3)]
    yield row("hang-up until all has ended, median", statistics.median(times) * 1000, "ms", 300)


def stopped(chat: Chat, message: str, text: str) -> float:
    """Send a message, press Esc when it is under way, and return the seconds until it is interrupted."""
    count = len(chat.raw)
    chat.enter(message)
    chat.shows(text, since=count)
    chat.hear_for(0.5)
    took = chat.seconds_until("\x1b", INTERRUPTED)
    chat.hear_for(1.0)
    return took


def hung_up(machine: Machine) -> float:
    """Return the seconds until a chat that runs a command has ended after its terminal is gone."""
    with machine.chat(machine.scripted()) as chat:
        chat.enter("wait")
        chat.shows(f"Running {SLEEP}")
        chat.hear_for(0.5)
        began = time.monotonic()
        os.kill(chat.pid, signal.SIGHUP)
        while chat.hear(30.0):
            pass
        os.waitpid(chat.pid, 0)
        return time.monotonic() - began


def idles(machine: Machine) -> Iterator[Row]:
    """Count how often an idle chat wakes up, by strace where it is installed."""
    with machine.chat(machine.scripted()) as chat:
        total = len(chat.raw)
        chat.enter("hello")
        chat.shows("[done]", since=total)
        chat.settle()
        count = calls_of(chat.pid) if shutil.which("strace") else switches_of(chat.pid)
    yield row(f"system calls in {IDLE_SECONDS} idle seconds", count, "", 0)


def calls_of(pid: int) -> int:
    """Return how many system calls return in a while, by strace."""
    command = ["timeout", "-s", "INT", str(IDLE_SECONDS), "strace", "-f", "-q", "-p", str(pid)]
    lines = subprocess.run(command, capture_output=True, text=True, check=False).stderr.splitlines()
    return len([line for line in lines if " = " in line])  # a call under way has no result yet


def switches_of(pid: int) -> int:
    """Return how often threads wake up in a while."""
    before = [*map(int, switches(pid))]
    time.sleep(IDLE_SECONDS)
    return sum(map(int, switches(pid))) - sum(before)


def continues(machine: Machine, rounds: int) -> Iterator[Row]:
    """Compare ``-c`` with a session of 10,000 messages with an empty start; write the session."""
    executable = str(Path(machine.python).with_name("openkoi"))
    new, old = (Machine(machine.python, machine.folder, machine.home.with_name(name)) for name in ("new", "old"))
    for one in (new, old):
        one.home.mkdir()
    write_session(old.home / "data" / "sessions", old.folder)
    drawn = [[machine.python, "-c", DRAWN.format(words=words)] for words in (["-c"], [])]
    ratios = [cpu(old, drawn[0]) / cpu(new, drawn[1]) for _ in range(rounds)]
    yield row(
        "`-c` with 10,000 messages until the prompt, relative to an empty start", statistics.median(ratios), "x", 1.2
    )
    with old.chat(old.scripted(), "-c", ready=CONTINUED) as chat:  # what it has cost is read, and which one was open
        chat.type("a")
        chat.hear_for(1.0)
    whole = [cpu(old, [executable, "-c"], CONTINUED) / cpu(new, [executable], READY) for _ in range(rounds)]
    yield row("the same until all is shown, if opened before", statistics.median(whole), "x", 1.2)
    with new.chat(new.scripted()) as chat:
        empty = chat.resident()
    with old.chat(old.scripted(), "-c", ready=CONTINUED) as chat:
        yield row("memory that 10,000 messages add", (chat.resident() - empty) / 1024, "MiB", 15)
