"""The chat as its user meets it: on a terminal, with a scripted model."""

import os
import signal
import time
from pathlib import Path

import pytest
from chat_terminal import DOT, FORBIDDEN, chat, read_folder, runs, says, writes
from cli_process import Shell, shell
from pseudo_terminal import terminal

SLOW = says("Waiting.", "slow", calls=writes("new.txt", "new\n")) + says("Sleeping.", "new.txt", calls=runs("sleep 30"))
ANSWER = says("Three kinds:\n\n- green\n- black\n\n```py\nx = 1\n```\n", "tea") + says("Well.", "")


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    made = shell(tmp_path)
    made.home.mkdir()
    return made


def test_bare_openkoi_talks_and_each_block_has_a_number(openkoi: Shell) -> None:
    with chat(openkoi, ANSWER) as opened:
        opened.shows("| scripted/script.yaml | memory: 0 entries | $0.00 spent")
        opened.inner.type("\x1b[O")  # another window has the focus now
        opened.send("Which tea is there?")
        opened.shows("[done]")
        opened.send("/copy 3")
        opened.shows("Copied 5 characters.")

        text = opened.display
        for line in ("> Which tea is there?", "Three kinds: [1]", "• black [2]", "─── py [3]", "x = 1"):
            assert 1 == text.count(line), text
        assert "\x1b]52;c;eCA9IDE=\x07" in opened.inner.raw
        assert not FORBIDDEN.search(opened.inner.raw)
        assert "\x07\x1b]9;OpenKoi is done\x07" in opened.inner.raw
        opened.type("\x04")
        assert 0 == opened.inner.ends()
        assert "To continue this session, run `openkoi -c`." in opened.inner.raw


def test_without_a_terminal_it_welcomes_the_user(openkoi: Shell) -> None:
    done = openkoi()

    assert 0 == done.returncode
    assert "watch it repair a small project" in done.stdout


def test_the_setting_turns_it_off(openkoi: Shell) -> None:
    (openkoi.home / "config.toml").write_text('[use]\nfrontend = "cli"\n')
    with terminal(openkoi) as opened:
        opened.shows("watch it repair a small project")
        assert 0 == opened.ends()


def test_enter_steers_tab_queues_and_escape_keeps(openkoi: Shell) -> None:
    with chat(openkoi, SLOW + ANSWER) as opened:
        opened.send("slow please")
        opened.shows("Running sleep 30…")
        opened.send("make it blue")
        opened.shows('↳ "make it blue" · joins before the next model call')
        opened.type("then drink tea")
        opened.shows("> then drink tea")
        opened.type("\t")
        opened.shows('⇥ "then drink tea" · the next task, when this one ends')
        opened.shows("2 queued · esc to interrupt)")

        began = time.monotonic()
        opened.type("\x1b")
        opened.shows("Interrupted. It changed these files:")
        assert 8 > time.monotonic() - began
        opened.shows("[1] new.txt")
        time.sleep(0.35)
        opened.type("3")
        opened.shows("Its changes are kept")
        opened.shows('"then drink tea" · waits: Enter sends it, Up edits it')
        assert {"new.txt": "new\n"} == read_folder(openkoi.folder)
        opened.type("\r")
        opened.shows("• black")
        opened.hides("⇥")


def test_an_interruption_can_be_undone_but_for_some_files(openkoi: Shell) -> None:
    turns = says("One.", "slow", calls=f"{writes('a.txt', 'a')}, {writes('b.txt', 'b')}")
    turns += says("Two.", "b.txt", calls=runs("sleep 30"))
    with chat(openkoi, turns) as opened:
        opened.send("slow please")
        opened.shows("Running sleep 30…")
        opened.type("\x1b")
        opened.shows("Keep only these files")
        time.sleep(0.35)
        opened.type("o")
        opened.shows("Which ones? Numbers or names >")
        opened.send("2")
        opened.shows("kept: b.txt")

    assert {"b.txt": "b"} == read_folder(openkoi.folder)


PUSH = says("I push.", "push", calls=runs("git push --force \u202eorigin main")) + says("Well.", "")


def test_an_approval_shows_all_and_is_not_given_by_what_was_typed_before(openkoi: Shell) -> None:
    with chat(openkoi, PUSH) as opened:
        opened.send("push it")
        for _ in range(40):  # keys that were meant for the input
            opened.type("y")
            opened.inner.hear(0.02)
        opened.shows("$ git push --force <U+202E>origin main")
        opened.shows("undo: `openkoi undo` restores the files")
        assert "y" * 10 in opened.display
        opened.settles()
        opened.type("a")  # behind a draft, a letter goes on with it
        opened.shows("ya\n")
        assert "3. No, and tell it" in opened.display
        opened.type("\x15")
        time.sleep(0.4)
        opened.type("3")
        opened.shows("What should it do instead? >")
        opened.send("use a pull request")
        opened.shows("! Rejected: use a pull request")
        opened.shows("Well.")


def test_what_is_allowed_for_the_chat_names_its_scope_and_can_be_revoked(openkoi: Shell) -> None:
    turns = says("I push.", "push", calls=runs("git push --force origin main")) + says("Well.", "")
    with chat(openkoi, turns) as opened:
        opened.send("push it")
        opened.shows("2. Yes, and commands that start with `git push` until this chat ends (a)")
        time.sleep(0.4)
        opened.type("a")
        opened.shows("Allowed until this chat ends: run_command git push")
        opened.shows("[done]")
        opened.send("push again")
        opened.shows("allowed for this chat: git push --force origin main")
        opened.send("/permissions revoke")
        opened.shows("Revoked: run_command git push…")


def test_rewinding_restores_conversation_and_files_and_can_be_undone(openkoi: Shell) -> None:
    turns = says("I write.", "Task two", calls=writes("two.txt", "2"))
    turns += says("I write.", "Task one", calls=writes("one.txt", "1"))
    with chat(openkoi, turns + says("Well.", "")) as opened:
        opened.send("Task one")
        opened.shows("[done]")
        opened.send("Task two")
        opened.shows("two.txt +1 -0")
        opened.type("\x1b")
        time.sleep(0.2)
        opened.type("\x1b")
        opened.shows("Rewind to before which message?")
        opened.shows("▸ (current)")
        opened.type("\x1b[B")
        opened.shows("▸ Task two")
        opened.type("\r")
        opened.shows("Rewind 1 message, to before: Task two")
        opened.shows("  two.txt +1 -0\n1. Both")
        time.sleep(0.4)
        opened.type("1")
        opened.shows("rewound; /rewind undo brings it back")
        opened.shows("> Task two")
        assert {"one.txt": "1"} == read_folder(openkoi.folder)
        opened.type("\x15")
        opened.send("/rewind undo")
        opened.shows("the rewind is undone")
        assert {"one.txt": "1", "two.txt": "2"} == read_folder(openkoi.folder)
        opened.send("/undo")
        opened.waits(lambda: {"one.txt": "1"} == read_folder(openkoi.folder), "/undo", 40)
        opened.send("/redo")
        opened.waits(lambda: {"one.txt": "1", "two.txt": "2"} == read_folder(openkoi.folder), "/redo", 40)


def test_a_killed_chat_is_continued_with_its_draft(openkoi: Shell) -> None:
    with chat(openkoi, SLOW + ANSWER) as opened:
        opened.send("Which tea is there?")
        opened.shows("[done]")
        opened.send("slow please")
        opened.shows("Running sleep 30…")
        opened.type("then run the linter")
        opened.shows("> then run the linter")
        opened.type("\t")
        opened.type("and a half-written dr")
        opened.shows("half-written dr")
        time.sleep(0.1)
        os.kill(opened.inner.command.pid, signal.SIGKILL)
    with chat(openkoi, SLOW + ANSWER, "-c") as opened:
        opened.shows("Where we were: slow please (just now)")
        opened.shows("What is open: the last task was interrupted")
        opened.shows("What it cost: ")
        assert "/resume continues it" in opened.display
        opened.shows("> and a half-written dr")
        opened.shows("then run the linter")
        opened.inner.type("\x15")
        opened.send("/resume")
        opened.shows("It is unknown whether this was done")
        opened.shows("[done]")


def test_a_draft_comes_back_and_a_shell_command_is_stopped(openkoi: Shell) -> None:
    (openkoi.folder / "dot.png").write_bytes(DOT)
    with chat(openkoi, ANSWER) as opened:
        opened.send("Which tea is there?")
        opened.shows("[done]")
    with chat(openkoi, ANSWER) as opened:
        opened.shows("spent")  # ready
        lines = "\r".join(f"line {number}" for number in range(12))
        opened.inner.type("only a draft ")
        opened.inner.type(f"\x1b[200~{openkoi.folder / 'dot.png'}\x1b[201~\x1b[200~{lines}\x1b[201~")
        opened.shows("> only a draft [Image #1][Pasted text #1, 12 lines]")
        time.sleep(0.2)
        os.kill(opened.inner.command.pid, signal.SIGKILL)
    with chat(openkoi, ANSWER, "-c") as opened:
        opened.shows("Where we were: Which tea is there?")
        opened.shows("line 11")
        opened.inner.type("\x1b[A" * 11)
        opened.shows("> only a draft [Image #1]line 0")
    with chat(openkoi, ANSWER) as opened:
        opened.inner.type("\x1b[A")
        opened.shows("line 11")
        opened.inner.type("\x03")
        opened.send("!sleep 60.25")
        opened.shows("! sleep 60.25")
        opened.inner.type("\x1b")
        opened.shows("Stopped.")


HOSTILE = (
    "\x1b[2Jclear \x1b]52;c;ZXZpbA==\x07 copy \x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\ \u202eorder \x9b31m "
    + "w" * 3000
)


def test_hostile_text_cannot_control_the_terminal(openkoi: Shell) -> None:
    turns = says(HOSTILE, "evil", calls=writes("a\x1b[2J.txt", HOSTILE)) + says("Well.", "")
    with chat(openkoi, turns) as opened:
        opened.send("evil answer")
        opened.shows("[done]")
        opened.send("/diff")
        opened.shows("+1 -0")

        assert [] == [*opened.foreign]
        assert not any(sign in opened.inner.raw for sign in "\u202e\x9b")


def test_accessible_output_has_no_escape_sequence_and_numbered_questions(openkoi: Shell) -> None:
    with chat(openkoi, PUSH, ACCESSIBLE="1") as opened:
        opened.type("push it\n")
        opened.shows("Type a number from 1 to 3.")
        opened.shows("$ git push --force <U+202E>origin main")
        time.sleep(0.1)
        opened.type("9\n")
        opened.type("1\n")
        opened.shows("Well.")
        opened.type("/quit\n")
        opened.inner.ends()

    assert "\x1b" not in opened.inner.raw
    assert "\r" not in opened.inner.raw.replace("\r\n", "")


def test_a_chat_goes_on_line_by_line(openkoi: Shell) -> None:
    with chat(openkoi, ANSWER) as opened:
        opened.send("Which tea is there?")
        opened.shows("[done]")
        opened.send("/plain")
        opened.shows("Type a message and press Enter.")
        seen = len(opened.inner.raw)
        opened.inner.type("/history\n")
        opened.shows("  1. Which tea is there?")
        opened.inner.type("/quit\n")
        assert 0 == opened.inner.ends()

    assert "\x1b" not in opened.inner.raw[seen:]
