"""A question is answered from another terminal, or after its run has ended; each call is decided on its own."""

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from cli_process import Shell, logged_records, shell, write_script

if os.name != "posix":
    pytest.skip("processes and terminals as POSIX has them", allow_module_level=True)

from pseudo_terminal import terminal

GATE = """
from openkoi_hookspecs import Ask, hookimpl

@hookimpl
def before_tool(call, tool, run):
    return Ask("This writes a file.") if tool.name == "write_file" else None
"""
WRITE = "{{tool: write_file, arguments: {{path: {0}.txt, content: {0}}}}}"
ONE = f"  - when: {{after: 0}}\n    calls: [{WRITE.format('one')}]\n" + '  - when: {after: 1}\n    says: "Done."\n'
TWO = ONE.replace("]\n", f", {WRITE.format('two')}]\n", 1)
TASK = ("-i", "0", "Write one and two into files")


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    return shell(tmp_path).with_plugin(GATE, hooks="acme")


def model(openkoi: Shell, turns: str, waits: float = 0) -> tuple[str, str]:
    """Return a script outside the workspace, and how long a run waits for an answer."""
    openkoi.home.mkdir(exist_ok=True)
    (openkoi.home / "config.toml").write_text(f"[approvals]\nwait_seconds = {waits}\n")
    write_script(openkoi.folder.parent, turns)
    return "-m", f"scripted/{openkoi.folder.parent / 'script.yaml'}"


def waiting(openkoi: Shell, count: int = 1) -> list[dict[str, Any]]:
    """Return the waiting calls, as soon as there is a number of them."""

    until = time.monotonic() + 45
    while len(found := list_approvals(openkoi)) != count:
        assert time.monotonic() < until, found
        time.sleep(0.1)
    return found


def list_approvals(openkoi: Shell) -> list[dict[str, Any]]:
    result = openkoi("approvals", "--format", "json")
    assert 0 == result.returncode, result.stderr
    return [one for one in json.loads(result.stdout)["approvals"] if "Allow" in one["question"]]


def question_about(asked: list[dict[str, Any]], words: str) -> str:
    """Return the id of the question about this."""
    [id] = [one["id"] for one in asked if words in one["question"]]
    return str(id)


def results(openkoi: Shell) -> list[str]:
    """Return the results that the model got for its calls, from the log."""
    return [
        json.dumps(record)
        for record in logged_records(openkoi.home / "data" / "sessions")
        if record["type"] == "tool_result"
    ]


@pytest.mark.row("LOOP-18", "LOOP-19", "FLOW-09")
def test_of_two_calls_at_once_one_is_allowed_and_one_refused_from_elsewhere(openkoi: Shell) -> None:
    child = openkoi.started(*model(openkoi, TWO, waits=60), *TASK)
    asked = waiting(openkoi, 2)
    undecided = openkoi("approve")
    approved = openkoi("approve", question_about(asked, "one.txt")[:6])
    refused = openkoi("reject", question_about(asked, "two.txt"), "--reason", "yes")
    out, err = child.communicate(timeout=60)

    assert ["", ""] == [one["resume"] for one in asked]
    assert (2, True) == (undecided.returncode, "2 questions are waiting" in undecided.stderr)
    assert (0, True) == (approved.returncode, "Approved" in approved.stdout), approved.stderr
    assert (0, True) == (refused.returncode, "Rejected" in refused.stdout), refused.stderr
    assert (0, "Done.\n") == (child.returncode, out), err
    assert "one" == (openkoi.folder / "one.txt").read_text()
    assert not (openkoi.folder / "two.txt").exists()
    assert 1 == sum("Rejected: yes" in text for text in results(openkoi))
    assert [] == waiting(openkoi, 0)


def test_a_run_that_nobody_answered_ends_and_goes_on_with_the_answer(openkoi: Shell) -> None:
    line = model(openkoi, ONE)
    result = openkoi(*line, *TASK)
    [one] = waiting(openkoi)
    output = openkoi("approvals").stdout
    approved = openkoi("approve")
    resumed = openkoi("resume", *line)

    assert (8, False) == (result.returncode, "Done." in result.stdout), result.stderr
    assert TASK[-1] == one["task"]
    assert f"openkoi resume {one['run'][:8]}" in output
    assert "This writes a file." in output
    assert f"openkoi resume {one['run'][:8]}" in approved.stderr
    assert 0 == resumed.returncode, resumed.stderr
    assert "one" == (openkoi.folder / "one.txt").read_text()
    assert "No question is waiting for an answer.\n" == openkoi("approvals").stdout
    assert [] == list((openkoi.home / "data" / "questions").glob("*.json"))


@pytest.mark.campaign
def test_a_run_that_was_killed_leaves_its_questions(openkoi: Shell) -> None:
    line = model(openkoi, TWO, waits=60)
    child = openkoi.started(*line, *TASK)
    waiting(openkoi, 2)
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=20)
    asked = waiting(openkoi, 2)
    approved = openkoi("approve", "--all")
    resumed = openkoi("resume", *line)

    assert all(one["resume"] for one in asked)
    assert (0, 2) == (approved.returncode, approved.stdout.count("Approved"))
    assert (0, "Done.\n") == (resumed.returncode, resumed.stdout), resumed.stderr
    assert ["one", "two"] == [(openkoi.folder / f"{name}.txt").read_text() for name in ("one", "two")]


def test_the_terminal_says_that_somebody_else_has_answered(openkoi: Shell) -> None:
    with terminal(openkoi, *model(openkoi, ONE), *TASK) as tty:
        tty.shows("Choose 1 to")
        tty.type("x")
        approved = openkoi("approve")
        tty.shows("Answered in another process: yes")

        assert 0 == approved.returncode, approved.stderr
        assert "Thinking" not in tty.screen.partition("Choose 1 to")[2].partition("Answered")[0]
        assert 0 == tty.ends(), tty.screen
    assert "one" == (openkoi.folder / "one.txt").read_text()


def test_what_was_typed_for_one_question_does_not_answer_the_next(openkoi: Shell) -> None:
    with terminal(openkoi, *model(openkoi, TWO), *TASK) as tty:
        tty.shows("Choose 1 to")
        asked = waiting(openkoi, 2)
        first = "one" if "one.txt" in tty.screen else "two"
        second = {"one": "two", "two": "one"}[first]
        tty.type("x\r")
        openkoi("reject", question_about(asked, f"{first}.txt"))
        tty.shows("Choose 1 to", times=2)
        tty.type("\x03")

        assert 130 == tty.ends(), tty.screen
    assert not (openkoi.folder / f"{second}.txt").exists()


def test_an_interruption_is_no_answer_from_elsewhere(openkoi: Shell) -> None:
    with terminal(openkoi, *model(openkoi, ONE), *TASK) as tty:
        tty.shows("Choose 1 to")
        tty.type("\x03")

        assert 130 == tty.ends(), tty.screen
        assert "elsewhere" not in tty.screen


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        (["approvals"], 0, "No question is waiting for an answer."),
        (["approve"], 1, "No question is waiting for an answer."),
        (["approve", "--all"], 1, "No question is waiting for an answer."),
        (["reject", "4f2a"], 2, "No question named '4f2a'. Available: none."),
        (["approve", "4f2a", "--all"], 2, "cannot be combined with an id"),
        (["approve", "this", "design"], 2, 'To run a task that starts with "approve", quote it'),
        (["reject", "the", "idea"], 2, 'To run a task that starts with "reject", quote it'),
        (["aprove"], 2, "Did you mean `openkoi approve`?"),
    ],
)
def test_a_line_that_means_nothing_says_what_would(openkoi: Shell, line: list[str], status: int, words: str) -> None:
    result = openkoi(*line)

    assert (status, True) == (result.returncode, words in result.stdout + result.stderr), result


def test_a_sentence_may_begin_with_the_name_of_a_command(openkoi: Shell) -> None:
    result = openkoi(*model(openkoi, '  - says: "Approved."\n'), "-i", "0", "approve this design")

    assert (0, "Approved.\n") == (result.returncode, result.stdout), result.stderr
