"""Test that a stuck model is stopped soon, and one that makes progress never is."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli_process import shell

from openkoi_hookspecs import Json, Limits, NextAction, Task, Text, ToolCall
from openkoi_testing import Line, Scenario, Scripted, run_scenario
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
    """The result of a run: the number of requests, the exit status, and the decision."""

    requests: int
    status: int
    decision: str


def do_task(
    folder: Path, lines: Iterable[ToolCall], task: str = "Tidy up", *, says: str = "", settings: str = PATIENT
) -> Told:
    """Let the command line do a task with a server that says these, one an answer, and then that it is done."""
    openkoi = shell(folder)
    files_of(openkoi.folder)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(settings)
    turns = [Say([*[says][: len(says)], ToolCall(f"call_{n}", one.tool, one.arguments)]) for n, one in enumerate(lines)]
    with OpenAIServer(*turns, "Done.") as server:
        ours = openkoi.with_environment(OPENAI_API_KEY="sk-not-a-real-key", OPENAI_BASE_URL=server.url)
        result = ours("-m", "openai/gpt-fake", "--format", "json", task)
        assert result.stdout, result.stderr
        return Told(len(server.asked), result.returncode, json.loads(result.stdout)["decision"])


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
    "two texts written in turn": (lambda n: writing("a.txt", "ab"[n % 2]), 10),
    "a file that grows by a number": (lambda n: command(f"echo {n} >> junk"), 34),
    "a clock that is read": (lambda n: command("date +%N"), 34),
    "a wait of nothing": (lambda n: command("sleep 0; test -f ready"), 6),
}


@pytest.mark.row("C27", "SAFE-03", "CLI-21")
@pytest.mark.parametrize(
    "name", ["the same call", *(pytest.param(one, marks=pytest.mark.campaign) for one in [*STUCK][1:])]
)
def test_a_stuck_model_is_stopped_with_an_exit_status_of_its_own(name: str, tmp_path: Path) -> None:
    habit, most = STUCK[name]
    done = do_task(tmp_path, map(habit, range(LONG)))

    assert ("abort_loop", 7) == (done.decision, done.status)
    assert done.requests <= most


BY_DEFAULT = {  # each with a judge's two requests and one to learn, which come after a change
    "the same line": (lambda n: command("echo n >> junk"), 6 + 3),
    "a clock's line": (lambda n: command("date >> junk"), 6 + 3),
    "counted lines": (lambda n: command(f"echo {n} >> junk"), 30 + 3),
    "a clock": (lambda n: command("date +%N"), 30 + 3),
}


@pytest.mark.sampled(2)
@pytest.mark.row("C27")
@pytest.mark.parametrize("name", BY_DEFAULT)
def test_30_calls_without_progress_end_as_stuck_with_the_default_settings(name: str, tmp_path: Path) -> None:
    habit, most = BY_DEFAULT[name]
    done = do_task(tmp_path, map(habit, range(30)), settings="")

    assert ("abort_loop", 7) == (done.decision, done.status)
    assert done.requests <= most


@pytest.mark.row("C78")
@pytest.mark.campaign
def test_who_reads_many_files_comes_to_an_end_of_their_own(tmp_path: Path) -> None:
    reader = do_task(tmp_path, (reading(f"{n}.txt") for n in range(LONG)), "What is in these files?")

    assert Told(LONG + 1, 0, "accept") == reader


WAITS = 12  # as many again as it takes to stop a model that does not wait


@pytest.mark.row("C78")
@pytest.mark.campaign
@pytest.mark.parametrize("line", ["sleep 2.1; test -f ready", "sleep 2.1; echo not yet", "sleep 2.1; date +%N"])
def test_polling_with_a_wait_is_honest(line: str, tmp_path: Path) -> None:
    assert Told(WAITS + 1, 0, "accept") == do_task(tmp_path, [command(line)] * WAITS, "Is it ready?")


@pytest.mark.campaign
def test_a_stuck_model_that_talks_is_stopped_as_soon(tmp_path: Path) -> None:
    assert Told(6, 7, "abort_loop") == do_task(tmp_path, [command("ls")] * LONG, says="Let me look again.")


# Further ways of getting nowhere, within this process.


def asked(habit: Habit, workspace: Path, turns: Sequence[Line] = (), *, text: str = "") -> tuple[int, NextAction]:
    """Return how often a model of this habit is asked that would go on beyond every ceiling, and what was decided."""
    files_of(workspace)
    if text:
        (workspace / "a.txt").write_text(text)
    model = Scripted([*turns, *map(habit, range(SHORTER - len(turns))), "done"])
    limits = Limits(cycles=LONG + 9, iterations=0, tokens=10**9)
    run = run_scenario(Task("Tidy up", limits=limits), Scenario(model=model), workspace)
    return len(model.asked), run.result.decision.action


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
BREAKER = 32
TO_AND_FRO = ("mv a.txt b.txt", "mv b.txt a.txt")
IN_VAIN: dict[str, tuple[Habit, int]] = {
    "an edit and its undoing": (lambda n: editing("two", "2") if n % 2 else editing("2", "two"), 10),
    "the same text written again": (lambda n: writing("a.txt", "all\n"), 8),
    "a file moved to and fro": (lambda n: command(TO_AND_FRO[n % 2]), 10),
    "a file whose time alone changes": (lambda n: command("touch a.txt"), 8),
    "two texts in turn": (lambda n: writing("a.txt", "ab"[n % 2]), 10),
    "two texts in turn, by commands": (lambda n: command(f"echo {'ab'[n % 2]} > a.txt"), 10),
    "two files in turn": (lambda n: writing("ab"[n % 2], "all\n"), 10),
    "three files in turn": (lambda n: writing("abc"[n % 3], "all\n"), 12),
    "three files in turn, by commands": (lambda n: command(f"echo all > {'xyz'[n % 3]}"), 12),
    "files made and removed": (lambda n: command(("touch new", "rm new")[n % 2]), 12),
    "a file of counted text": (lambda n: writing("junk", f"{n}\n"), BREAKER),
    "a file of counted text, by commands": (lambda n: command(f"echo attempt {n} > junk"), BREAKER),
    "a file that grows by numbers": (lambda n: command(f"echo {n} >> junk"), BREAKER),
    "a file that grows by the same line": (lambda n: command("echo n >> junk"), BREAKER),
    "a file that grows by a clock": (lambda n: command("date >> log"), BREAKER),
    "a file that grows by words and numbers": (lambda n: command(f"echo attempt {n} at $(date) >> log"), BREAKER),
    "a file that grows, and is shown": (lambda n: command(f"echo {n} >> junk; tail -n 1 junk"), BREAKER),
    "a file that grows, and is counted": (lambda n: command("echo n >> junk; wc -l junk"), BREAKER),
    "temporary files here": (lambda n: command("mktemp -p ."), BREAKER),
    "a growing file and a clock in turn": (lambda n: command(("date +%s%N", f"echo {n} >> junk")[n % 2]), BREAKER),
}
CLOCKS = {
    "date": "date +%s.%N",
    "date and words": "echo building; date +%N",
    "python's clock": "python3 -c 'import time; print(time.time())'",
    "a random number": "echo $RANDOM",
    "a process id": "echo $$",
    "a uuid": "cat /proc/sys/kernel/random/uuid",
    "the time since the start": "cat /proc/uptime",
    "random letters": "head -c 400 /dev/urandom | tr -dc a-z | head -c 12",
    "a temporary name": "mktemp -u",
    "nanoseconds in a table": "stat -c '%n %x' /proc/self; date +%N",
    "no wait at all": "sleep 0; date +%N",
    "a short wait": "sleep 0.01; date +%N",
}


@pytest.mark.sampled(9)
@pytest.mark.row("C27")
@pytest.mark.parametrize("name", IDLE)
def test_what_brings_nothing_new_is_stopped(name: str, tmp_path: Path) -> None:
    habit, most = IDLE[name]
    requests, decision = asked(habit, tmp_path)

    assert NextAction.ABORT_LOOP is decision
    assert requests <= most


@pytest.mark.sampled(4)
@pytest.mark.row("C27")
@pytest.mark.parametrize("name", CLOCKS)
@pytest.mark.parametrize("varied", [False, True], ids=["the same", "under other comments"])
def test_a_clock_is_no_progress(name: str, varied: bool, tmp_path: Path) -> None:
    requests, decision = asked(lambda n: command(CLOCKS[name] + f" # {n}" * varied), tmp_path)

    assert NextAction.ABORT_LOOP is decision
    assert requests <= BREAKER


@pytest.mark.sampled(4)
@pytest.mark.row("C27")
@pytest.mark.parametrize("name", IN_VAIN)
def test_what_only_seems_to_change_something_is_stopped(name: str, tmp_path: Path) -> None:
    habit, most = IN_VAIN[name]
    requests, decision = asked(habit, tmp_path, [reading("a.txt"), editing("two", "2")])

    assert NextAction.ABORT_LOOP is decision
    assert requests <= most + 2


WORDS = (
    *("amber", "basil", "cedar", "delta", "ember", "fjord", "grove", "heron", "inlet", "jetty", "kelp", "larch"),
    *("moss", "newt", "otter", "perch", "quail", "reed", "sedge", "tern", "umber", "vole", "willow", "xylem"),
    *("yarrow", "zinnia", "alder", "birch", "crane", "dune", "elm", "fern", "gorse", "hazel", "iris", "jay"),
)
TESTS = "test -f a.txt && echo 1 passed in 0.0$RANDOM s"
MEASURED = "head -n 1 a.txt; echo $RANDOM"
HONEST: dict[str, Habit] = {
    "a line of one file after the other": lambda n: editing(f"line {n}.", f"row {n}."),
    "a line after the other, from the end": lambda n: editing(f"line {SHORTER - n}.", f"row {SHORTER - n}."),
    "a line after the other, by sed": lambda n: command(f"sed -i 's/line {n}\\./row {n}./' a.txt"),
    "a word after the other": lambda n: editing(f"word {WORDS[n - 1]}" if n else "line 0.", f"word {WORDS[n]}"),
    "tests after each edit": lambda n: editing(f"line {n}.", f"row {n}.") if n % 2 else command(TESTS),
    "an experiment after each edit": lambda n: [editing(f"v {n // 2}", f"v {n // 2 + 1}"), command(MEASURED)][n % 2],
    "a report that grows": lambda n: command(f"echo 'The {WORDS[n]} is in order.' >> report.md"),
    "a report that grows by headings": lambda n: command(f"printf '## {WORDS[n]}\n\nFound {n} of it.\n' >> report.md"),
    "a report that is written anew": lambda n: writing("report.md", "".join(f"- {one}\n" for one in WORDS[: n + 1])),
    "a file for each number": lambda n: command(f"echo {n} > out{n}.txt"),
    "a file for each word": lambda n: writing(f"{WORDS[n]}.md", "The same.\n"),
    "a longer text each time": lambda n: writing("long.txt", "".join(f"line {one}\n" for one in range(n + 1))),
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


@pytest.mark.sampled(4)
@pytest.mark.row("C78")
@pytest.mark.parametrize("name", HONEST)
def test_what_gets_somewhere_is_never_stopped(name: str, tmp_path: Path) -> None:
    first = [reading("a.txt")] if name.startswith(("a line", "a word", "tests", "an exp")) else []
    lines = "".join(f"line {n}.\n" for n in range(SHORTER + 2))

    assert (SHORTER + 1, NextAction.ACCEPT) == asked(HONEST[name], tmp_path, first, text=f"v 0\n{lines}")
