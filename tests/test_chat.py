"""The chat as its user meets it: on a terminal, with a scripted model."""

import os
import signal
import time
from pathlib import Path

import pytest
from chat_terminal import DOT, FORBIDDEN, chat, read_folder, runs, says, writes
from cli_process import Shell, logged_records, shell
from pseudo_terminal import terminal

SLOW = says("Waiting.", "slow", calls=writes("new.txt", "new\n")) + says("Sleeping.", "new.txt", calls=runs("sleep 30"))
ANSWER = says("Three kinds:\n\n- green\n- black\n\n```py\nx = 1\n```\n", "tea") + says("Well.", "")


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    return openkoi


def test_bare_openkoi_talks_and_each_block_has_a_number(openkoi: Shell) -> None:
    with chat(openkoi, ANSWER) as terminal:
        terminal.shows("| scripted/script.yaml | memory: 0 entries | $0.00 spent")
        terminal.inner.type("\x1b[O")  # another window has the focus now
        terminal.send("Which tea is there?")
        terminal.shows("[done]")
        terminal.send("/copy 3")
        terminal.shows("Copied 5 characters.")

        text = terminal.display
        for line in ("> Which tea is there?", "Three kinds: [1]", "• black [2]", "─── py [3]", "x = 1"):
            assert 1 == text.count(line), text
        assert "\x1b]52;c;eCA9IDE=\x07" in terminal.inner.raw
        assert not FORBIDDEN.search(terminal.inner.raw)
        assert "\x07\x1b]9;OpenKoi is done\x07" in terminal.inner.raw
        terminal.type("\x04")
        assert 0 == terminal.inner.ends()
        assert "To continue this session, run `openkoi -c`." in terminal.inner.raw


def test_without_a_terminal_it_welcomes_the_user(openkoi: Shell) -> None:
    result = openkoi()

    assert 0 == result.returncode
    assert "watch it repair a small project" in result.stdout


def test_the_setting_turns_it_off(openkoi: Shell) -> None:
    (openkoi.home / "config.toml").write_text('[use]\nfrontend = "cli"\n')
    with terminal(openkoi) as tty:
        tty.shows("watch it repair a small project")
        assert 0 == tty.ends()


def test_enter_steers_tab_queues_and_escape_keeps(openkoi: Shell) -> None:
    with chat(openkoi, SLOW + ANSWER) as terminal:
        terminal.send("slow please")
        terminal.shows("Running sleep 30…")
        terminal.send("make it blue")
        terminal.shows('↳ "make it blue" · will be added before the next model call')
        terminal.type("then drink tea")
        terminal.shows("> then drink tea")
        terminal.type("\t")
        terminal.shows('⇥ "then drink tea" · will run when the current task ends')
        terminal.shows("2 queued · esc to interrupt)")

        began = time.monotonic()
        terminal.type("\x1b")
        terminal.shows("Interrupted. The task changed these files:")
        assert 8 > time.monotonic() - began
        terminal.shows("[1] new.txt")
        time.sleep(0.35)
        terminal.type("3\r")
        terminal.shows("undoes the task's changes")
        assert "[abort]" not in terminal.display
        terminal.shows('"then drink tea" · waits; Enter sends it, Up edits it')
        assert {"new.txt": "new\n"} == read_folder(openkoi.folder)
        terminal.type("\r")
        terminal.shows("• black")
        terminal.hides("⇥")


def test_an_interruption_can_be_undone_but_for_some_files(openkoi: Shell) -> None:
    turns = says("One.", "slow", calls=f"{writes('a.txt', 'a')}, {writes('b.txt', 'b')}")
    turns += says("Two.", "b.txt", calls=runs("sleep 30"))
    with chat(openkoi, turns) as terminal:
        terminal.send("slow please")
        terminal.shows("Running sleep 30…")
        terminal.type("\x1b")
        terminal.shows("Keep only these files")
        time.sleep(0.35)
        terminal.type("o\r")
        terminal.shows("Which files? Enter their numbers or names >")
        terminal.send("2")
        terminal.shows("kept: b.txt")

    assert {"b.txt": "b"} == read_folder(openkoi.folder)


def test_undoing_an_interrupted_task_keeps_what_the_user_has_made_since(openkoi: Shell) -> None:
    turns = says("I write.", "slow", calls=runs("echo half > half.txt; sleep 30"))
    with chat(openkoi, turns + says("Well.", "")) as terminal:
        terminal.send("slow please")
        terminal.waits((openkoi.folder / "half.txt").exists, "half.txt", 40)
        terminal.type("\x1b")
        terminal.shows("Keep only these files")
        terminal.settles()
        terminal.type("3\r")
        terminal.shows("undoes the task's changes")
        (openkoi.folder / "mine.txt").write_text("mine")
        terminal.send("a question")
        terminal.shows("[done]")
        terminal.send("/undo")
        terminal.shows("kept: mine.txt (not changed by the task)")

    assert {"mine.txt": "mine"} == read_folder(openkoi.folder)


PUSH = says("I push.", "push", calls=runs("git push --force \u202eorigin main")) + says("Well.", "")


def test_an_approval_shows_all_and_is_not_given_by_what_was_typed_before(openkoi: Shell) -> None:
    with chat(openkoi, PUSH) as terminal:
        terminal.send("push it")
        for _ in range(40):  # keys that were meant for the input
            terminal.type("y")
            terminal.inner.hear(0.02)
        terminal.shows("$ git push --force <U+202E>origin main")
        terminal.shows("undo: `openkoi undo` restores the files")
        assert "y" * 10 in terminal.display
        terminal.settles()
        terminal.type("a")  # behind a draft, a letter goes on with it
        terminal.shows("ya\n")
        assert "3. No, and tell OpenKoi" in terminal.display
        terminal.type("\x15")
        time.sleep(0.4)
        terminal.type("3\r")
        terminal.shows("What should OpenKoi do instead? >")
        terminal.send("use a pull request")
        terminal.shows("! Rejected: use a pull request")
        terminal.shows("Well.")


def test_what_is_allowed_for_the_chat_names_its_scope_and_can_be_revoked(openkoi: Shell) -> None:
    turns = says("I push.", "push", calls=runs("git push --force origin main")) + says("Well.", "")
    with chat(openkoi, turns) as terminal:
        terminal.send("push it")
        terminal.shows("2. Yes, and commands that start with `git push` until this chat ends (a)")
        time.sleep(0.4)
        terminal.type("a\r")
        terminal.shows("Allowed until this chat ends: run_command git push")
        terminal.shows("[done]")
        terminal.send("push again")
        terminal.shows("allowed for this chat: git push --force origin main")
        terminal.send("/permissions revoke")
        terminal.shows("Revoked: run_command git push…")


def test_rewinding_restores_conversation_and_files_and_can_be_undone(openkoi: Shell) -> None:
    turns = says("I write.", "Task two", calls=writes("two.txt", "2"))
    turns += says("I write.", "Task one", calls=writes("one.txt", "1"))
    with chat(openkoi, turns + says("Well.", "")) as terminal:
        terminal.send("Task one")
        terminal.shows("[done]")
        terminal.send("Task two")
        terminal.shows("two.txt +1 -0")
        terminal.type("\x1b")
        time.sleep(0.2)
        terminal.type("\x1b")
        terminal.shows("Rewind to before which message?")
        terminal.shows("▸ 1. (current)")
        terminal.type("\x1b[B")
        terminal.shows("▸ 2. Task two")
        terminal.type("\r")
        terminal.shows("Rewind 1 message, to before: Task two")
        terminal.shows("  two.txt +1 -0\n▸ 1. Both")
        time.sleep(0.4)
        terminal.type("1\r")
        terminal.shows("rewound; to undo this, type /rewind undo")
        terminal.shows("> Task two")
        assert {"one.txt": "1"} == read_folder(openkoi.folder)
        assert [True] == [record["rewound"] for record in restored(openkoi)]
        terminal.type("\x15")
        terminal.send("/rewind undo")
        terminal.shows("undid the rewind")
        assert {"one.txt": "1", "two.txt": "2"} == read_folder(openkoi.folder)
        for line in ("/undo", "/redo", "/copy 99"):  # each waits for the one before it
            terminal.send(line)
        terminal.shows("There is no block 99.")
        text = terminal.display
        assert text.index("1 deleted") < text.index("Reapplied task") < text.index("There is no block 99.")
        assert {"one.txt": "1", "two.txt": "2"} == read_folder(openkoi.folder)


def restored(openkoi: Shell) -> list[dict[str, object]]:
    """Return the logged undone and redone tasks."""
    records = [one for one in logged_records(openkoi.home) if isinstance(one, dict)]  # and the user's messages
    return [one["data"] for one in records if one["type"] == "workspace.restored"]


def test_a_killed_chat_is_continued_with_its_draft(openkoi: Shell) -> None:
    with chat(openkoi, SLOW + ANSWER) as terminal:
        terminal.send("Which tea is there?")
        terminal.shows("[done]")
        terminal.send("slow please")
        terminal.shows("Running sleep 30…")
        terminal.type("then run the linter")
        terminal.shows("> then run the linter")
        terminal.type("\t")
        terminal.type("and a half-written dr")
        terminal.shows("half-written dr")
        time.sleep(0.1)
        os.kill(terminal.inner.command.pid, signal.SIGKILL)
    with chat(openkoi, SLOW + ANSWER, "-c") as terminal:
        terminal.shows("Last task: slow please (just now)")
        terminal.shows("Left to do: the last task was interrupted")
        terminal.shows("Cost: ")
        assert "/resume continues it" in terminal.display
        terminal.shows("> and a half-written dr")
        terminal.shows("then run the linter")
        terminal.inner.type("\x15")
        terminal.send("/resume")
        terminal.shows("OpenKoi was interrupted during this call")
        terminal.shows("[done]")


def test_a_draft_comes_back_and_a_shell_command_is_stopped(openkoi: Shell) -> None:
    (openkoi.folder / "dot.png").write_bytes(DOT)
    with chat(openkoi, ANSWER) as terminal:
        terminal.send("Which tea is there?")
        terminal.shows("[done]")
    with chat(openkoi, ANSWER) as terminal:
        terminal.shows("spent")  # ready
        lines = "\r".join(f"line {number}" for number in range(12))
        terminal.inner.type("only a draft ")
        terminal.inner.type(f"\x1b[200~{openkoi.folder / 'dot.png'}\x1b[201~\x1b[200~{lines}\x1b[201~")
        terminal.shows("> only a draft [Image #1][Pasted text #1, 12 lines]")
        time.sleep(0.2)
        os.kill(terminal.inner.command.pid, signal.SIGKILL)
    with chat(openkoi, ANSWER, "-c") as terminal:
        terminal.shows("Last task: Which tea is there?")
        terminal.shows("line 11")
        terminal.inner.type("\x1b[A" * 11)
        terminal.shows("> only a draft [Image #1]line 0")
    with chat(openkoi, ANSWER) as terminal:
        terminal.inner.type("\x1b[A")
        terminal.shows("line 11")
        terminal.inner.type("\x03")
        terminal.send("!sleep 60.25")
        terminal.shows("! sleep 60.25")
        terminal.inner.type("\x1b")
        terminal.shows("Stopped.")


HOSTILE = (
    "\x1b[2Jclear \x1b]52;c;ZXZpbA==\x07 copy \x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\ \u202eorder \x9b31m "
    + "w" * 3000
)


def test_hostile_text_cannot_control_the_terminal(openkoi: Shell) -> None:
    turns = says(HOSTILE, "evil", calls=writes("a\x1b[2J.txt", HOSTILE)) + says("Well.", "")
    with chat(openkoi, turns) as terminal:
        terminal.send("evil answer")
        terminal.shows("[done]")
        terminal.send("/diff")
        terminal.shows("+1 -0")

        assert [] == [*terminal.foreign()]
        assert not any(sign in terminal.inner.raw for sign in "\u202e\x9b")


def test_accessible_output_has_no_escape_sequence_and_numbered_questions(openkoi: Shell) -> None:
    with chat(openkoi, PUSH, ACCESSIBLE="1") as terminal:
        terminal.type("push it\n")
        terminal.shows("Type a number from 1 to 3.")
        terminal.shows("$ git push --force <U+202E>origin main")
        terminal.type("1\n")
        terminal.shows("You typed that before the question appeared.")
        terminal.settles()
        terminal.type("9\n")
        terminal.type("1 more thing\n")
        terminal.shows("Type a number from 1 to 3.", times=4)
        terminal.type("1\n")
        terminal.shows("Well.")
        terminal.type("/quit\n")
        terminal.inner.ends()

    assert "\x1b" not in terminal.inner.raw
    assert "\r" not in terminal.inner.raw.replace("\r\n", "")


def test_a_line_begun_before_a_question_does_not_answer_it(openkoi: Shell) -> None:
    with chat(openkoi, says("I push.", "", calls=runs("sleep 1; git push --force origin main")), ACCESSIBLE="1") as tty:
        tty.type("push it\n")
        tty.shows("> push it")
        tty.type("now ")
        tty.shows("Type a number from 1 to 2.")
        tty.settles()
        tty.type("1\n")
        tty.shows("You typed that before the question appeared.")


def test_a_chat_goes_on_line_by_line(openkoi: Shell) -> None:
    with chat(openkoi, ANSWER) as terminal:
        terminal.send("Which tea is there?")
        terminal.shows("[done]")
        terminal.send("/plain")
        terminal.shows("Type a message and press Enter.")
        count = len(terminal.inner.raw)
        terminal.inner.type("/history\n")
        terminal.shows("  1. Which tea is there?")
        terminal.inner.type("/quit\n")
        assert 0 == terminal.inner.ends()

    assert "\x1b" not in terminal.inner.raw[count:]
