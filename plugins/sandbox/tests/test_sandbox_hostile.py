"""Test harmful commands: however one ends, nothing of it is left, and its output is readable."""

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from openkoi_hookspecs import Command, CommandResult, Sandbox
from openkoi_sandbox import BubblewrapSandbox, LandlockSandbox, RlimitsSandbox, UnconfinedSandbox
from openkoi_sandbox.bubblewrap import BUBBLEWRAP_LEVEL
from openkoi_sandbox.landlock import LANDLOCK_LEVEL
from openkoi_sandbox.rlimits_sandbox import RLIMITS_LEVEL

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
WORD = "hostile-koi"
BOMB = "f() { if [ $1 -gt 0 ]; then f $(($1 - 1)) & f $(($1 - 1)) & fi; sleep 4; }; f %d; echo over"
PYTHON = f"{sys.executable} -I -S -c"
DAEMON = f"""{PYTHON} '
import os, time
os.fork() and os._exit(0)
os.setsid()
os.fork() and os._exit(0)
os.chdir("/")
os.closerange(0, 64)
time.sleep(47)'"""
FORGET = 'import os\nos.environ.clear()\nos.execve("/bin/sleep", ["sleep", "47.11"], {})'


@dataclass(frozen=True, slots=True)
class Hostile:
    """A shell line, and its expected result."""

    line: str
    exit_code: int = 0
    output: str | None = None
    seconds: float = 20.0
    at_most: float = 10.0
    stdin: bytes = b""


COMMANDS = {
    "a flood": Hostile("head -c 30000000 /dev/zero"),
    "binary": Hostile("head -c 5000 /dev/urandom; echo; echo end"),
    "a letter that is cut": Hostile(r"printf 'a\303'", output="a\ufffd"),
    "no line end": Hostile("printf x", output="x"),
    "one endless line": Hostile("head -c 3000000 /dev/zero | tr '\\0' x"),
    "both streams at once": Hostile("for i in 1 2 3 4 5 6 7 8 9; do echo out; echo err >&2; done | wc -l"),
    "a child that holds the output": Hostile("sleep 47.11 & echo done", output="done\n", at_most=4),
    "nohup": Hostile("nohup sleep 47.11 >/dev/null 2>&1 & echo done", output="done\n", at_most=4),
    "a session of its own": Hostile("setsid sleep 47.11 & echo done", output="done\n", at_most=4),
    "two forks": Hostile("(setsid sh -c 'sleep 47.11 & sleep 47.11' &) ; echo done", output="done\n", at_most=4),
    "a job": Hostile("set -m; sleep 47.11 & echo done", at_most=4),
    "all waits for a child": Hostile("sleep 47.11 & wait", 124, seconds=0.3, at_most=6),
    "will not listen": Hostile("trap '' TERM; while :; do sleep 0.1; done", 124, seconds=0.3, at_most=6),
    "will listen to nothing": Hostile("trap '' TERM INT HUP QUIT PIPE; sleep 47.11 & wait; wait", 124, seconds=0.3),
    "stopped": Hostile("kill -STOP $$", 124, seconds=0.3, at_most=6),
    "a stopped child": Hostile("sleep 47.11 & kill -STOP $!; echo done", output="done\n", at_most=4),
    "reads": Hostile("read line || echo nothing", output="nothing\n", at_most=4),
    "reads all": Hostile("cat | wc -c", output="5\n", stdin=b"12345", at_most=4),
    "asks for a password": Hostile(
        f"{PYTHON} 'import getpass; getpass.getpass()' 2>/dev/null || echo no", output="no\n"
    ),
    "asks at the terminal": Hostile("(exec 3<>/dev/tty) 2>/dev/null || echo no", output="no\n", at_most=4),
    "asks a program that asks": Hostile("ssh-keygen -y -f /none 2>/dev/null </dev/tty; echo done", at_most=4),
    "closes everything": Hostile("exec >&- 2>&- <&-; sleep 0.2", at_most=4),
    "ends by a signal": Hostile("kill -SEGV $$", 139, at_most=4),
    "says more than may be": Hostile("yes", 143, at_most=6),
    "breaks its pipe": Hostile("yes | head -n 1", output="y\n", at_most=4),
    "leaves one that renews itself": Hostile("f() { trap '' TERM; sleep 0.05; f & }; f & echo done", at_most=8),
    "a daemon": Hostile(f"{DAEMON} 47.11; sleep 0.1; echo done", output="done\n", at_most=4),
    "a flood of errors": Hostile("head -c 30000000 /dev/zero >&2"),
    "three hundred at once": Hostile("for i in $(seq 300); do sleep 47.11 & done; echo done", output="done\n"),
    "a tree of 127": Hostile(BOMB % 6, output="over\n", at_most=15),
    "the dead unburied": Hostile(f"{PYTHON} 'import os; [os.fork() or os._exit(0) for _ in range(50)]'", at_most=4),
    "breeds when told to stop": Hostile(
        "trap 'sleep 47.11 & sleep 47.11 &' TERM; while :; do sleep 0.1; done", 124, seconds=0.3, at_most=6
    ),
    "waits at a pipe nobody writes to": Hostile("mkfifo p$$; cat p$$", 124, seconds=0.3, at_most=6),
    "holds many descriptors": Hostile(
        f'{PYTHON} \'import os; [os.pipe() for _ in range(200)]; os.fork() or os.execlp(*2 * ["sleep"], "47.11")\'',
        at_most=4,
    ),
    "kills its own": Hostile("sleep 47.11 & kill -9 0", 137, at_most=4),
    "orders for a terminal": Hostile(r"printf '\033[2J\033]0;x\007'", output="\x1b[2J\x1b]0;x\x07"),
    "silences the terminal": Hostile("stty -echo </dev/tty 2>/dev/null || echo no", at_most=4),
}
SAMPLE = {
    "a flood",
    "two forks",
    "will not listen",
    "a stopped child",
    "asks for a password",
    "says more than may be",
    "a daemon",
    "kills its own",
}
NEEDS = {
    "UnconfinedSandbox": "",
    "RlimitsSandbox": RLIMITS_LEVEL.missing(),
    "LandlockSandbox": LANDLOCK_LEVEL.missing(),
    "BubblewrapSandbox": BUBBLEWRAP_LEVEL.missing(),
}


# One keeper keeps them all: the strongest sandbox of this machine is tried always, those below it in a campaign.
STRONGEST = LandlockSandbox if NEEDS["BubblewrapSandbox"] else BubblewrapSandbox
KINDS = [
    kind if kind in (UnconfinedSandbox, STRONGEST) else pytest.param(kind, marks=pytest.mark.campaign)
    for kind in (UnconfinedSandbox, RlimitsSandbox, LandlockSandbox, BubblewrapSandbox)
]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def sandbox(request: pytest.FixtureRequest, tmp_path: Path) -> Sandbox:
    kind: Callable[..., Sandbox] = request.param
    if missing := NEEDS[request.param.__name__]:
        pytest.skip(f"not here: {missing}")
    return kind(folder=tmp_path / "outputs", grace=0.1, max_output_mb=40.0)


def ran(sandbox: Sandbox, root: Path, hostile: Hostile) -> CommandResult:
    words = ["sh", "-c", hostile.line]
    command = Command(words, stdin=hostile.stdin, seconds=hostile.seconds, env={"FISH": WORD})
    return asyncio.run(sandbox.execute(command, root))


def left(*words: str) -> list[str]:
    """The living processes with this word in their environment or command line."""
    return [command for command, report in processes() if any(word.encode() in report for word in words)]


def processes() -> Iterator[tuple[str, bytes]]:
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (place / "cmdline").read_bytes()
            yield command.decode(errors="replace"), command + (place / "environ").read_bytes()


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208  # counts


def peak() -> int:
    """Our peak memory in bytes since the counter was reset."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def count_anew() -> int:
    Path("/proc/self/clear_refs").write_text("5")
    return peak()


EACH = [pytest.param(name, marks=[] if name in SAMPLE else pytest.mark.campaign) for name in COMMANDS]


@pytest.mark.parametrize("name", EACH)
def test_nothing_of_it_is_left(sandbox: Sandbox, tmp_path: Path, name: str) -> None:
    hostile, before, begun = COMMANDS[name], descriptors(), time.monotonic()

    result = ran(sandbox, tmp_path, hostile)

    assert hostile.at_most > time.monotonic() - begun
    assert hostile.exit_code == result.exit_code
    assert hostile.output in (None, result.output)
    assert [] == left(WORD, "47.11")
    assert before == descriptors()


@pytest.mark.campaign
def test_one_that_forgets_where_it_comes_from_is_ended(sandbox: Sandbox, tmp_path: Path) -> None:
    if isinstance(sandbox, UnconfinedSandbox):
        pytest.skip("plainly run, such a one cannot be found")
    line = f"setsid {PYTHON} '{FORGET}' & sleep 0.2; echo done"

    assert "done\n" == ran(sandbox, tmp_path, Hostile(line)).output
    assert [] == left("47.11")


@pytest.mark.parametrize("sandbox", [kind for kind in KINDS if kind is not UnconfinedSandbox], indirect=True)
def test_one_that_kills_its_keeper_gains_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    """Without a sandbox, only we can stop it."""
    ran(sandbox, tmp_path, Hostile("sleep 47.11 & setsid sleep 47.11 & kill -9 $PPID; kill -STOP $PPID; true"))

    assert [] == left(WORD, "47.11")


ORPHANED = """
import asyncio, pathlib, sys
import openkoi_sandbox
from openkoi_hookspecs import Command
sandbox = getattr(openkoi_sandbox, sys.argv[1])(folder=pathlib.Path("outputs"))
line = "setsid sleep 47.11 & env -i setsid sleep 47.11 & echo > begun; sleep 47.11"
asyncio.run(sandbox.execute(Command(["sh", "-c", line]), pathlib.Path()))
"""


@pytest.mark.campaign
def test_when_we_are_killed_it_goes_with_us(sandbox: Sandbox, tmp_path: Path) -> None:
    if isinstance(sandbox, UnconfinedSandbox):
        pytest.skip("plainly run, nobody is left to end it")
    ours = subprocess.Popen([sys.executable, "-c", ORPHANED, type(sandbox).__name__], cwd=tmp_path)
    while not (tmp_path / "begun").exists():
        time.sleep(0.01)
    time.sleep(0.05)

    ours.kill()
    ours.wait()
    until = time.monotonic() + 20
    while left("47.11") and time.monotonic() < until:
        time.sleep(0.01)

    assert [] == left("47.11")


@pytest.mark.campaign
def test_one_after_the_other_they_leave_nothing(
    sandbox: Sandbox, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran(sandbox, tmp_path, Hostile("echo warm"))
    descriptors_before, memory_before = descriptors(), count_anew()

    for hostile in COMMANDS.values():
        ran(sandbox, tmp_path, hostile)
    texts, opened, grown = left(WORD, "47.11"), descriptors() - descriptors_before, peak() - memory_before

    with capsys.disabled():
        count = f"{type(sandbox).__name__}: {len(COMMANDS)} hostile commands"
        print(f"\n{count}, {len(texts)} processes and {opened} descriptors left, {grown / 1e6:.1f} MB more at most")
    assert 27 <= len(COMMANDS)
    assert ([], 0) == (texts, opened)
    assert 10_000_000 >= grown


@pytest.mark.campaign
def test_a_gigabyte_is_kept_whole_and_out_of_memory(sandbox: Sandbox, tmp_path: Path) -> None:
    roomy = type(sandbox)(folder=tmp_path / "outputs", max_output_mb=2000.0)  # type: ignore[call-arg]  # a rung's own
    ran(roomy, tmp_path, Hostile("head -c 1000000 /dev/zero"))
    before = count_anew()

    result = ran(roomy, tmp_path, Hostile("head -c 1000000000 /dev/zero", seconds=100))

    assert 1_000_000_000 == Path(result.output_file).stat().st_size
    assert 10_000_000 >= peak() - before
    Path(result.output_file).unlink()


@pytest.mark.campaign
def test_two_hundred_runs_leave_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    before = descriptors()

    for _ in range(200):
        ran(sandbox, tmp_path, Hostile("setsid sleep 47.11 & true"))

    assert before == descriptors()
    assert [] == left(WORD, "47.11")


@pytest.mark.parametrize("depth", [8, 11])
@pytest.mark.campaign
def test_a_fork_bomb_is_bounded(sandbox: Sandbox, tmp_path: Path, depth: int) -> None:
    if isinstance(sandbox, UnconfinedSandbox):
        pytest.skip("plainly run, nothing bounds it")
    bounded = type(sandbox)(folder=tmp_path / "outputs", grace=0.1, processes=100)  # type: ignore[call-arg]  # a rung's

    result = ran(bounded, tmp_path, Hostile(BOMB % depth))

    assert "more than 100 processes" in result.output or "fork" in result.output
    assert [] == left(WORD)
