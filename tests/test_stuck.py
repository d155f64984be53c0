"""A model that gets nowhere is stopped soon; one that gets somewhere never is, however long it takes."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli_process import shell

from openkoi_hookspecs import Decision, Json, Limits, Task, Text, ToolCall
from openkoi_testing import Line, Scripted, Stage, perform
from openkoi_testing.servers import OpenAIServer, Say

LONG, SHORTER = 62, 34
PATIENT = f"[iteration]\nmax_cycles = {LONG + 9}\ntoken_budget = 100_000_000\n"
Habit = Callable[[int], Line]


def call(tool: str, **arguments: Json) -> ToolCall:
    return ToolCall("", tool, arguments)


def command(line: str) -> ToolCall:
    return call("run_command", command=line)


def reading(path: str) -> ToolCall:
    return call("read_file", path=path)


def editing(before: str, after: str, path: str = "a.txt") -> ToolCall:
    return call("edit_file", path=path, search=before, replace=after)


def writing(path: str, content: str) -> ToolCall:
    return call("write_file", path=path, content=content)


# Through the command line, counted by the server that is asked.


@dataclass(frozen=True)
class Told:
    """What came of a run: how often the server was asked, the exit status, and the decision."""

    requests: int
    status: int
    decision: str


def told(folder: Path, lines: Iterable[ToolCall], task: str = "Tidy up", *, says: str = "") -> Told:
    """Let the command line do a task with a server that says these, one an answer, and then that it is done."""
    openkoi = shell(folder)
    files_of(openkoi.folder)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(PATIENT)
    turns = [Say([*[says][: len(says)], ToolCall(f"call_{n}", one.tool, one.arguments)]) for n, one in enumerate(lines)]
    with OpenAIServer(*turns, "Done.") as server:
        ours = openkoi.told(OPENAI_API_KEY="sk-not-a-real-key", OPENAI_BASE_URL=server.url)
        done = ours("-m", "openai/gpt-fake", "--format", "json", task)
        assert done.stdout, done.stderr
        return Told(len(server.asked), done.returncode, json.loads(done.stdout)["decision"])


def files_of(folder: Path) -> None:
    (folder / "a.txt").write_text("one\ntwo\nthree\n")
    for number in range(LONG):
        (folder / f"{number}.txt").write_text(f"This is file {number}.\n")
        (folder / f"empty{number}.txt").write_text("")


STUCK = {
    "the same call": (lambda n: command("ls"), 6),
    "the same command under another comment": (lambda n: command(f"ls # attempt {n}"), 6),
    "two calls in turn": (lambda n: command("ls" if n % 2 else "pwd"), 8),
    "62 commands that are of no use": (lambda n: command(f"echo {n}"), 40),
}


FIRST, *OTHERS = STUCK


@pytest.mark.row("C27", "SAFE-03", "CLI-21")
@pytest.mark.parametrize(
    "name", ["the same call", *(pytest.param(one, marks=pytest.mark.campaign) for one in [*STUCK][1:])]
)
def test_a_stuck_model_is_stopped_with_an_exit_status_of_its_own(name: str, tmp_path: Path) -> None:
    habit, most = STUCK[name]
    done = told(tmp_path, map(habit, range(LONG)))

    assert ("abort_loop", 7) == (done.decision, done.status)
    assert done.requests <= most


@pytest.mark.row("C78")
@pytest.mark.campaign
def test_who_waits_for_what_changes_or_reads_many_files_comes_to_an_end_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "poller").mkdir()
    (tmp_path / "reader").mkdir()
    poller = told(tmp_path / "poller", [command("date +%N")] * LONG, "What does the clock say?")
    reader = told(tmp_path / "reader", (reading(f"{n}.txt") for n in range(LONG)), "What is in these files?")

    assert [Told(LONG + 1, 0, "accept")] * 2 == [poller, reader]


@pytest.mark.campaign
def test_a_stuck_model_that_talks_is_stopped_as_soon(tmp_path: Path) -> None:
    assert Told(6, 7, "abort_loop") == told(tmp_path, [command("ls")] * LONG, says="Let me look again.")


# Further ways of getting nowhere, within this process.


def asked(habit: Habit, workspace: Path, turns: Sequence[Line] = ()) -> tuple[int, Decision]:
    """How often a model of this habit is asked that would go on beyond every ceiling, and what was decided."""
    files_of(workspace)
    model = Scripted([*turns, *map(habit, range(SHORTER - len(turns))), "done"])
    limits = Limits(cycles=LONG + 9, iterations=0, tokens=10**9)
    done = perform(Task("Tidy up", limits=limits), Stage(model=model), workspace)
    return len(model.asked), done.result.ruling.decision


IDLE: dict[str, tuple[Habit, int]] = {
    "arguments in another order": (
        lambda n: call("read_file", path="a.txt", start=1) if n % 2 else call("read_file", start=1, path="a.txt"),
        6,
    ),
    "a command with other white space": (lambda n: command(f"cat {' ' * n}a.txt"), 6),
    "a comment on a line of its own": (lambda n: command(f"# attempt {n}\ncat a.txt"), 6),
    "a program that is not there": (lambda n: command(f"nosuchprogram --attempt {n}"), 6),
    "other commands that fail alike": (lambda n: command(f"cat nosuch; exit 1 {n}"), 6),
    "arguments that are wrong each time": (lambda n: call("read_file", pth=f"{n}"), 6),
    "a failing edit with small changes": (lambda n: editing(f"four {n}", "five"), 6),
    "a failing edit with more white space": (lambda n: editing(f"four{' ' * n}", "five"), 6),
    "a file and a failing edit of it": (lambda n: editing(f"four {n}", "five") if n % 2 else reading("a.txt"), 8),
    "three calls in turn": (lambda n: reading(f"{n % 3}.txt"), 8),
    "four calls in turn": (lambda n: command(f"cat {n % 4}.txt"), 9),
    "the same five files": (lambda n: reading(f"{n % 5}.txt"), 10),
    "two calls at once": (lambda n: [command("ls"), reading("a.txt")], 6),
    "the same call five times at once": (lambda n: [reading("a.txt")] * 5, 6),
    "words and the same call": (lambda n: [Text(f"Attempt {n}."), command("ls")], 6),
    "three commands of no use at once": (lambda n: [command(f"echo {n} {one}") for one in "abc"], 30),
    "files that are not there": (lambda n: reading(f"no{n}.txt"), 30),
    "tools that are not there": (lambda n: call(f"tool_{n}"), 30),
}
TO_AND_FRO = ("mv a.txt b.txt", "mv b.txt a.txt")
IN_VAIN: dict[str, tuple[Habit, int]] = {
    "an edit and its undoing": (lambda n: editing("two", "2") if n % 2 else editing("2", "two"), 10),
    "the same text written again": (lambda n: writing("a.txt", "all\n"), 8),
    "a file moved to and fro": (lambda n: command(TO_AND_FRO[n % 2]), 10),
    "a file whose time alone changes": (lambda n: command("touch a.txt"), 8),
}


@pytest.mark.row("C27")
@pytest.mark.parametrize("name", IDLE)
def test_what_brings_nothing_new_is_stopped(name: str, tmp_path: Path) -> None:
    habit, most = IDLE[name]
    requests, decision = asked(habit, tmp_path)

    assert Decision.ABORT_LOOP is decision
    assert requests <= most


@pytest.mark.row("C27")
@pytest.mark.parametrize("name", IN_VAIN)
def test_what_only_seems_to_change_something_is_stopped(name: str, tmp_path: Path) -> None:
    habit, most = IN_VAIN[name]
    requests, decision = asked(habit, tmp_path, [reading("a.txt"), editing("two", "2")])

    assert Decision.ABORT_LOOP is decision
    assert requests <= most + 2


HONEST: dict[str, Habit] = {
    "a result that changes in its time alone": lambda n: command("echo building; date +%N"),
    "a result that changes beside one that does not": lambda n: [command("ls"), command("date +%N")],
    "different files": lambda n: reading(f"{n}.txt"),
    "different files by commands": lambda n: command(f"cat {n}.txt | head -n 20"),
    "different empty files": lambda n: reading(f"empty{n}.txt"),
    "new files and failures between": lambda n: [
        writing(f"new{n}.py", f"import nosuch{n}"),
        command("cat nosuch"),
        editing("four", "five"),
        command("false"),
    ][n % 4],
    "the same command after each of many edits": lambda n: command("cat log") if n % 2 else command(f"echo {n} >> log"),
}


@pytest.mark.row("C78")
@pytest.mark.parametrize("name", HONEST)
def test_what_gets_somewhere_is_never_stopped(name: str, tmp_path: Path) -> None:
    assert (SHORTER + 1, Decision.ACCEPT) == asked(HONEST[name], tmp_path)
