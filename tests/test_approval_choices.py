"""A tool call that needs approval is shown as it would be made, and answered by a number."""

import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("needs a POSIX terminal", allow_module_level=True)

from cli_process import Shell, shell
from pseudo_terminal import Terminal, terminal

from openkoi_hookspecs import ToolCall
from openkoi_testing.servers import OpenAIServer, Say, ServerFault

LINE = ("-i", "0", "-m", "openai/gpt-fake", "Tidy up")


def remove(path: str) -> Say:
    return Say([ToolCall(path, "run_command", {"command": f"rm -rf {path}"})])


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    there = shell(tmp_path)
    for name in ("one", "two"):
        (there.folder / name).mkdir()
        (there.folder / name / "file").write_text("x")
    return there


def served(openkoi: Shell, server: OpenAIServer) -> Shell:
    return openkoi.with_environment(OPENAI_API_KEY="sk-test", OPENAI_BASE_URL=server.url)


def asked(terminal: Terminal, times: int = 1) -> str:
    terminal.shows("Choose 1 to 3: ", times=times)
    return terminal.screen


def test_the_literal_command_its_reach_and_its_undo_are_shown_and_a_number_answers(openkoi: Shell) -> None:
    hidden = Say([ToolCall("c", "run_command", {"command": "rm -rf one \u202e # \x1b[2J"})])
    with OpenAIServer(hidden, "Done.") as server, terminal(served(openkoi, server), *LINE) as tty:
        tty.shows("Choose 1 to ")
        output = tty.screen
        before = (openkoi.folder / "one").exists()
        tty.type("1\r")

        assert 0 == tty.ends(), tty.screen
    assert "$ rm -rf one <U+202E> # <ESC>[2J" in output
    assert "touches: files of this folder" in output
    assert "undo: `openkoi undo`" in output
    assert "\x1b[2J" not in tty.raw
    assert (True, False) == (before, (openkoi.folder / "one").exists())


def test_what_was_typed_before_the_question_does_not_answer_it(openkoi: Shell) -> None:
    slow = Say(remove("one").words, fault=ServerFault(delay=1.0))
    with OpenAIServer(slow, "Done.") as server, terminal(served(openkoi, server), *LINE) as tty:
        tty.shows("Thinking")
        tty.type("1y1\ry\r")
        asked(tty)
        tty.type("3\r")
        tty.shows("What should OpenKoi do instead?")
        tty.type("move it to the trash\r")

        assert 0 == tty.ends(), tty.screen
        assert "move it to the trash" in str(server.asked[1])
    assert (openkoi.folder / "one").exists()


@pytest.mark.parametrize("pause", [0.0, 0.4])
@pytest.mark.parametrize("message", ["also do this", "yes but later", "2 more tests", "1 more", "12", "any"])
def test_a_message_is_not_an_answer_however_slowly_it_is_typed(openkoi: Shell, message: str, pause: float) -> None:
    with OpenAIServer(remove("one"), "Done.") as server, terminal(served(openkoi, server), *LINE) as tty:
        asked(tty)
        for key in message:
            tty.type(key)
            tty.hear(pause)
        tty.type("\r")
        tty.shows("That is not one of the answers. Choose 1 to 3: ")
        tty.type("\x1b")
        tty.shows("→ No")
        tty.type("\r")

        assert 0 == tty.ends(), tty.screen
    assert (openkoi.folder / "one").exists()


def test_a_line_that_was_begun_before_the_question_is_not_an_answer(openkoi: Shell) -> None:
    with OpenAIServer(remove("one"), "Done.") as server, terminal(served(openkoi, server), *LINE) as tty:
        tty.shows("until this task ends (a)")
        tty.type("and now ")  # before the question takes keys
        asked(tty)
        tty.type("1\r")
        tty.shows("You typed that before the question appeared. Choose 1 to 3: ")
        tty.type("12\x7f\x7f3\r")
        tty.shows("What should OpenKoi do instead?")
        tty.type("\r")

        assert 0 == tty.ends(), tty.screen
    assert (openkoi.folder / "one").exists()


def test_a_line_that_was_begun_during_the_run_is_not_an_answer(openkoi: Shell) -> None:
    slow = Say(remove("one").words, fault=ServerFault(delay=1.0))
    with OpenAIServer(slow, "Done.") as server, terminal(served(openkoi, server), *LINE) as tty:
        tty.shows("Thinking")
        tty.type("and now ")
        asked(tty)
        tty.type("1\r")
        tty.shows("You typed that before the question appeared. Choose 1 to 3: ")
        tty.type("3\r")
        tty.shows("What should OpenKoi do instead?")
        tty.type("\r")

        assert 0 == tty.ends(), tty.screen
    assert (openkoi.folder / "one").exists()


def test_yes_for_the_scope_holds_for_similar_calls_of_the_task(openkoi: Shell) -> None:
    with (
        OpenAIServer(remove("one"), remove("two"), "Done.") as server,
        terminal(served(openkoi, server), *LINE) as tty,
    ):
        text = asked(tty)
        tty.type("a\r")

        assert 0 == tty.ends(), tty.screen
    assert "2. Yes, and commands that start with `rm -rf` until this task ends (a)" in text
    assert "allowed for this task: rm -rf two" in tty.screen
    assert [] == [path.name for path in openkoi.folder.iterdir() if path.is_dir() and path.name in ("one", "two")]


def test_yes_approves_what_undo_restores_and_nothing_else(openkoi: Shell) -> None:
    outside = openkoi.folder.parent / "outside"
    outside.mkdir()
    for path, status, left in (("one two/file", 0, []), (str(outside), 8, ["outside"]), ("../outside", 8, ["outside"])):
        with OpenAIServer(remove(path), "Done.") as server:
            result = served(openkoi, server)("--yes", *LINE)

        assert status == result.returncode, result.stderr
        assert left == [one.name for one in (outside, openkoi.folder / "one") if one.exists() and status] or not left
    assert not (openkoi.folder / "one").exists()
    assert outside.exists()
    assert 0 == openkoi("undo").returncode
    assert "x" == (openkoi.folder / "one" / "file").read_text()


def test_the_user_s_policy_lets_yes_approve_more(openkoi: Shell) -> None:
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text('[hooks.guard]\nyes = ["destructive"]\n')
    outside = openkoi.folder.parent / "outside"
    outside.mkdir()
    with OpenAIServer(remove(str(outside)), "Done.") as server:
        result = served(openkoi, server)("--yes", *LINE)

    assert 0 == result.returncode, result.stderr
    assert "approved by --yes: Allow run_command" in result.stderr
