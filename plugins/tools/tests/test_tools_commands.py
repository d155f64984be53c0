"""Test how ``run_command`` reports results."""

import shutil
import time
from typing import TYPE_CHECKING

import pytest

from openkoi_hookspecs import CommandResult
from openkoi_tools import WorkspaceTools
from openkoi_tools.command_result import describe_end, format_output

if TYPE_CHECKING:
    from plugins.tools.tests.conftest import Bench, Hands

needs_a_shell = pytest.mark.skipif(not shutil.which("sh"), reason="needs a POSIX shell")


@needs_a_shell
def test_a_command_answers_with_its_output_and_exit_code(hands: "Hands") -> None:
    hands.write("a.txt", "hello\n")

    answer = hands.use("run_command", command="cat a.txt && exit 3")

    assert "Exit code 3.\nhello" == answer.text.rstrip()
    assert (3, True) == (answer.exit_code, answer.failed)


@needs_a_shell
def test_success_without_output_is_said(hands: "Hands") -> None:
    answer = hands.use("run_command", command="true")

    assert ("Exit code 0. No output.", False, 0) == (answer.text, answer.failed, answer.exit_code)


@needs_a_shell
def test_a_command_that_takes_too_long_is_stopped(hands: "Hands") -> None:
    answer = hands.use("run_command", command="echo begun; sleep 60", timeout=1)

    assert answer.failed
    assert answer.text.startswith("Timed out: it was still running after 1 s and was stopped")


@needs_a_shell
def test_no_timeout_is_longer_than_the_longest(bench: "Bench") -> None:
    hands = bench.hands(WorkspaceTools(command_seconds=1, max_command_seconds=1))

    assert "still running after 1 s" in hands.use("run_command", command="sleep 60", timeout=50_000).text


@needs_a_shell
def test_of_much_output_the_beginning_and_the_end_are_told(hands: "Hands") -> None:
    answer = hands.use("run_command", command="i=0; while [ $i -lt 9000 ]; do echo line $i; i=$((i+1)); done")

    assert answer.text.startswith("Exit code 0.\nline 0\nline 1\n")
    assert answer.text.rstrip().endswith("line 8999")
    assert len(answer.text.encode()) <= 24 * 1024


def test_where_all_of_the_output_is_kept_is_told() -> None:
    output = format_output(CommandResult(0, "x" * 5_000, output_file="/data/whole.txt"), 1_000)

    go_on = "it is saved in /data/whole.txt: continue with read_file, start=1"
    assert f"[... the middle of the output is omitted; {go_on} ...]" == output[1]
    assert 1_000 == len(output[0]) + len(output[2])


def test_output_cut_inside_a_character_is_still_text() -> None:
    head, _, tail = format_output(CommandResult(0, "é漢😀" * 500), 1_001)

    assert "é漢😀".startswith(head[-1:]) or head[-1] in "é漢😀"
    assert "\ufffd" not in head + tail


def test_how_it_ended_comes_first() -> None:
    assert "Exit code 2." == describe_end(CommandResult(2, "oops"), 0.1)
    assert "Exit code 2. No output." == describe_end(CommandResult(2, " \n"), 0.1)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (" ", "The command is empty."),
        ("a\0b", "The command contains a NUL character"),
        ("x" * 200_000, "The command is longer than 97.7 KB. Put it into a file with write_file and run that."),
    ],
    ids=["empty", "nul", "huge"],
)
def test_what_no_shell_can_be_given_is_refused(hands: "Hands", command: str, sentence: str) -> None:
    assert sentence in hands.use("run_command", command=command).text


@needs_a_shell
def test_what_a_command_leaves_in_the_background_is_ended_with_it(hands: "Hands") -> None:
    hands.use("run_command", command="(trap '' TERM HUP; sleep 1; echo late > late.txt) & echo begun")

    time.sleep(1.5)
    assert [] == list(hands.workspace.iterdir())


@needs_a_shell
def test_a_command_that_will_not_end_when_asked_is_made_to(hands: "Hands") -> None:
    began = time.monotonic()
    answer = hands.use("run_command", command="trap '' TERM; while :; do sleep 0.2; done", timeout=1)

    assert answer.text.startswith("Timed out")
    assert time.monotonic() - began < 10


@needs_a_shell
@pytest.mark.parametrize("command", ["read x", "python3 -c 'import getpass; getpass.getpass()'", "cat"])
def test_a_command_that_asks_for_something_gets_nothing_and_goes_on(hands: "Hands", command: str) -> None:
    began = time.monotonic()
    hands.use("run_command", command=command, timeout=20)

    assert time.monotonic() - began < 10


@needs_a_shell
def test_a_flood_is_stopped_and_little_of_it_told(bench: "Bench") -> None:
    hands = bench.hands(WorkspaceTools(), sandboxes__plain__max_output_mb=5)
    answer = hands.use("run_command", command="yes 0123456789 | head -c 1000000000", timeout=60)

    assert "The output exceeded the limit of 5 MB; the rest was discarded." in answer.text
    assert len(answer.text.encode()) <= 24 * 1024


@needs_a_shell
def test_of_a_flood_that_is_no_text_it_is_said_that_it_was_stopped(bench: "Bench") -> None:
    hands = bench.hands(WorkspaceTools(), sandboxes__plain__max_output_mb=2)
    answer = hands.use("run_command", command="head -c 6000000 /dev/urandom", timeout=60)

    assert "The output is not text" in answer.text
    assert "The output exceeded the limit of 2 MB; the rest was discarded." in answer.text


@needs_a_shell
def test_what_is_no_text_is_not_shown(hands: "Hands") -> None:
    answer = hands.use("run_command", command="head -c 20000 /dev/urandom")

    assert (
        "Exit code 0.\n[The output is not text and is not shown. Redirect it to a file to inspect it.]" == answer.text
    )
